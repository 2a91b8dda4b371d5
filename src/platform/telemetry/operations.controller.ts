import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Database } from '../database/database.js';
import { unavailable } from '../http/error.filter.js';
import { Gated } from '../http/gate.js';
import { Operation, Tag } from '../http/operation.js';
import { constant, object, text } from '../http/schema.js';
import { Metrics } from './metrics.js';

const OK = object({ status: constant('ok', 'All is well.') }, { name: 'Health' });

/** For orchestrators and Prometheus. */
@Controller()
@Gated('open')
@Tag('Operations', 'For orchestrators and Prometheus.')
export class OperationsController {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  /** Whether the process runs at all; never asks the database, whose troubles a restart would not cure. */
  @Operation('readLiveness', {
    summary: 'Whether the process runs',
    answers: { 200: { description: 'It does.', schema: OK } },
  })
  @Get('livez')
  live() {
    return { status: 'ok' };
  }

  @Operation('readReadiness', {
    summary: 'Whether requests can be served',
    answers: { 200: { description: 'They can.', schema: OK } },
    refusals: [unavailable],
  })
  @Get('readyz')
  async ready() {
    await this.database.ping();
    return { status: 'ok' };
  }

  @Operation('readMetrics', {
    summary: 'Metrics for Prometheus',
    answers: {
      200: {
        description: 'The metrics, in the text format of Prometheus.',
        schema: text('One metric a line.'),
        mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      },
    },
  })
  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
