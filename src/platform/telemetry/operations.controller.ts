import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Database } from '../database/database.js';
import { Gated } from '../http/gate.js';
import { Metrics } from './metrics.js';

/** For orchestrators and Prometheus. */
@Controller()
@Gated('open')
export class OperationsController {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  /** Whether the process runs at all; never asks the database, whose troubles a restart would not cure. */
  @Get('livez')
  live() {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready() {
    await this.database.ping();
    return { status: 'ok' };
  }

  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
