import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BATCH_SIZE } from '../../persistence/batched.js';
import { Database } from '../../persistence/database.js';
import { JOB_METRICS } from '../../platform/jobs.js';
import { counter, gauge, histogram, startAtZero } from '../../platform/metric.js';
import { Declarations } from '../../platform/module-declaration.js';
import { VERSION } from '../../platform/version.js';
import type { TillgateAdapter } from '../../request/adapter.js';
import { CONNECTIONS_DISPLACED, CONNECTIONS_REFUSED } from '../../request/refused-connections.js';
import { Measurements } from './measurements.js';
import { BROKEN_PROMISES } from './reconciliation.js';

export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const DURATIONS = histogram({
  name: 'tillgate_http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last byte of its answer.',
  labels: {
    method: 'the method of HTTP',
    route: 'the pattern of the path, with `:id` for an id; `none` where nothing answers',
    status: 'the status of HTTP',
  },
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});
const REFUSALS = counter({
  name: 'tillgate_http_errors_total',
  help:
    'Requests that were answered with an error, by its code. Replayed errors are not among ' +
    'them.',
  labels: { code: ({ errorCodes }) => errorCodes },
});
const REPLAYS = counter({
  name: 'tillgate_idempotent_replays_total',
  help:
    'Requests that were answered with the stored response of an earlier one with the same ' +
    'idempotency key.',
});
const CONNECTIONS = gauge({
  name: 'tillgate_database_connections',
  help:
    'Connections of the pool: `in_use`, or `free`, which counts those that may still be ' +
    'opened.',
  labels: { state: ['in_use', 'free'] },
});
const WAITING = gauge({
  name: 'tillgate_database_waiting',
  help:
    'Queries that wait for a connection, because all are in use or their organization has its ' +
    'share of them.',
});
const BUILD = gauge({
  name: 'tillgate_build_info',
  help: 'Always 1; the label is the version that runs.',
  labels: { version: 'as in `tillgate --version`' },
  aggregator: 'first',
});
/**
 * The delay of the event loop is sampled so often, and its values have this time in them. Each
 * sample wakes an idle process, and the default of 10 ms costs it more than all its other work.
 */
const EVENT_LOOP_PRECISION_MS = 200;
/** The utilization of the event loop is sampled so often. The default is ten times a second. */
const EVENT_LOOP_UTILIZATION_MS = 5_000;
/**
 * This metric has quantiles, and those of several processes cannot be combined. The histogram
 * beside it can.
 */
const UTILIZATION_QUANTILES = 'nodejs_eventloop_utilization_summary';
export const PLATFORM_METRICS = [
  DURATIONS,
  REFUSALS,
  REPLAYS,
  CONNECTIONS_REFUSED,
  CONNECTIONS_DISPLACED,
  CONNECTIONS,
  WAITING,
  BATCH_SIZE,
  BROKEN_PROMISES,
  ...JOB_METRICS,
  BUILD,
];

@Injectable()
export class Metrics implements OnModuleInit {
  private readonly registry = new Registry();
  /**
   * Returns the response to a scrape. A worker replaces this function by one that asks for the sum
   * over all workers.
   */
  render = async (): Promise<string> => {
    await this.update(true);
    return this.registry.metrics();
  };

  constructor(
    private readonly host: HttpAdapterHost<TillgateAdapter>,
    private readonly database: Database,
    private readonly measurements: Measurements,
    private readonly declarations: Declarations,
  ) {}

  onModuleInit(): void {
    collectDefaultMetrics({
      register: this.registry,
      eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS,
      eventLoopUtilizationTimeout: EVENT_LOOP_UTILIZATION_MS,
    });
    this.registry.removeSingleMetric(UTILIZATION_QUANTILES);
    for (const metric of this.declarations.metrics) {
      this.registry.registerMetric(metric);
      startAtZero(metric, this.declarations);
    }
    BUILD.set({ version: VERSION }, 1);
    this.host.httpAdapter?.getInstance().addHook('onResponse', count);
  }

  /**
   * Returns the values of this process. Only one of several processes measures the tables
   * (`isMeasuring`).
   */
  async values(isMeasuring: boolean): Promise<MetricValues> {
    await this.update(isMeasuring);
    return this.registry.getMetricsAsJSON();
  }

  private async update(isMeasuring: boolean): Promise<void> {
    const { inUse, free, waiting } = this.database.load;
    CONNECTIONS.set({ state: 'in_use' }, inUse);
    CONNECTIONS.set({ state: 'free' }, free);
    WAITING.set(waiting);
    if (isMeasuring) await this.measurements.update();
    else this.measurements.forget();
  }
}

function count(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  // The label is the route's pattern, because a path with an ID would make a time series for each
  // ID.
  const labels = {
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    status: reply.statusCode,
  };
  DURATIONS.observe(labels, reply.elapsedTime / 1000);
  if (request.errorCode !== undefined) REFUSALS.inc({ code: request.errorCode });
  if (reply.hasHeader('idempotent-replayed')) REPLAYS.inc();
  done();
}
