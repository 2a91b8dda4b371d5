import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Repetition, repeat } from '../../../../platform/repeat.js';
import { DeliverWebhooks } from '../../application/deliver-webhooks.js';

/** How late a first attempt may be. */
const INTERVAL_MS = 1_000;
/** Well inside the time an orchestrator leaves a process to end. */
const GRACE_MS = 5_000;

/** Every serving instance delivers: they share the work through the database. A command for an operator does not. */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(WebhookWorker.name);
  private repetition: Repetition | undefined;

  constructor(
    private readonly deliverWebhooks: DeliverWebhooks,
    private readonly host: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.host.httpAdapter) return;
    this.repetition = repeat(() => this.deliverWebhooks.startDue(), {
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
    await this.deliverWebhooks.stop(GRACE_MS);
  }
}
