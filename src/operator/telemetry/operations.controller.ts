import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MIGRATIONS } from '../../persistence/data-source.js';
import { Database } from '../../persistence/database.js';
import { statement } from '../../persistence/statement.js';
import { MetricsToken, Operation, Public, Tag } from '../../request/route.js';
import { constant, object, text } from '../../request/schema.js';
import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';
import { Metrics } from './metrics.js';

const OK = object({ status: constant('ok', 'All is well.') }, { name: 'Health' });

/**
 * A schema newer than this version is accepted, because an upgrade migrates before it replaces
 * processes.
 */
const READINESS = statement<{ migration: string }>(
  'telemetry.readiness',
  (last) => `SELECT
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean
      AS "isReadOnly",
    EXISTS (SELECT FROM migrations WHERE name = ${last.migration}) AS "isMigrated"`,
);

type Row = Readonly<Record<'isReadOnly' | 'isMigrated', boolean>>;

@Controller()
@Public()
@Tag('Operations', 'Health checks and metrics.')
export class OperationsController {
  private isEnding = false;

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  /**
   * The check does not query the database, because restarting this process would not repair the
   * database.
   */
  @Operation('readLiveness', {
    summary: 'Check liveness',
    answers: { 200: { description: 'The process is running.', schema: OK } },
  })
  @Get('livez')
  live() {
    return { status: 'ok' };
  }

  @Operation('readReadiness', {
    summary: 'Check readiness',
    answers: { 200: { description: 'The service can answer requests.', schema: OK } },
  })
  @Get('readyz')
  async ready() {
    if (this.isEnding) throw new Refusal(SERVICE_UNAVAILABLE, 'The process is ending.');
    const migration = MIGRATIONS.at(-1)?.name ?? '';
    const [row] = (
      await this.database.autocommit<Row>({ queue: 'readiness' }, ...READINESS.of({ migration }))
    ).rows;
    if (row?.isReadOnly) throw new Refusal(SERVICE_UNAVAILABLE, 'The database is read-only.');
    if (!row?.isMigrated)
      throw new Refusal(SERVICE_UNAVAILABLE, 'The schema of the database is behind: migrate it.');
    return { status: 'ok' };
  }

  /** Declares the process not ready, so that load balancers send no new requests to it. */
  end(): void {
    this.isEnding = true;
  }

  @MetricsToken()
  @Operation('readMetrics', {
    summary: 'Retrieve metrics',
    description: 'Open, unless the service was started with `METRICS_TOKEN`.',
    answers: {
      200: {
        description: 'Metrics in the Prometheus text format.',
        schema: text('One metric per line.'),
        mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      },
    },
  })
  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
