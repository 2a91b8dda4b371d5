import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MetricsToken, Public } from '../../request/credential.js';
import { Operation, Tag } from '../../request/operation.js';
import { constant, object, text } from '../../request/schema.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

const OK = object({ status: constant('ok', 'All is well.') }, { name: 'Health' });

@Controller()
@Public()
@Tag('Operations', 'Health checks and metrics.')
export class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  /** Does not query the database, because restarting this process would not repair the database. */
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
    await this.readiness.check();
    return { status: 'ok' };
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
