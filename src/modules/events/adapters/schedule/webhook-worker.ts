import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Repetition, repeat } from '../../../../platform/repeat.js';
import { WebhookScheduler } from './webhook-scheduler.js';

/** How late an attempt may be that nobody signalled: a retry, or one that another process left. */
const INTERVAL_MS = 1_000;
/** Well inside the time an orchestrator leaves a process to end. */
const GRACE_MS = 5_000;

/** Every serving instance delivers: they share the work through the database. A command for an operator does not. */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(WebhookWorker.name);
  private repetition: Repetition | undefined;

  constructor(
    private readonly scheduler: WebhookScheduler,
    private readonly host: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.host.httpAdapter) return;
    this.repetition = repeat(() => this.scheduler.look(), {
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
    await this.scheduler.stop(GRACE_MS);
  }
}
