import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { TillgateAdapter } from '../http/adapter.js';
import { VERSION } from '../version.js';

export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

@Injectable()
export class Metrics implements OnModuleInit {
  private readonly registry = new Registry();
  private readonly durations = new Histogram({
    name: 'tillgate_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  private readonly build = new Gauge({
    name: 'tillgate_build_info',
    help: 'Always 1; the label is the version that runs.',
    labelNames: ['version'],
    // Of several processes there is one value, not their sum.
    aggregator: 'first',
    registers: [this.registry],
  });
  /** What a scrape is answered with. One of several processes asks for the sum over all of them. */
  render = (): Promise<string> => this.registry.metrics();

  constructor(private readonly host: HttpAdapterHost<TillgateAdapter>) {}

  onModuleInit(): void {
    collectDefaultMetrics({ register: this.registry });
    this.build.set({ version: VERSION }, 1);
    const server = this.host.httpAdapter?.getInstance();
    server?.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      // The pattern, not the path: a label value for each id would never stop growing.
      const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode };
      this.durations.observe(labels, reply.elapsedTime / 1000);
      done();
    });
  }

  async values(): Promise<MetricValues> {
    return this.registry.getMetricsAsJSON();
  }
}
