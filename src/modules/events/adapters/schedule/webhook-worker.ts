import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Jobs } from '../../../../platform/jobs.js';
import type { Caller } from '../../../../shared/caller.js';
import { DueSignal } from '../../application/ports.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';
import type { NewEvent } from '../../domain/event.js';
import { type DueReceiver, dueReceiver, storedReceiver } from '../../domain/receiver.js';

/** How late an attempt without a signal may be: a retry, or a delivery that another process left. */
const INTERVAL_MS = 1_000;
/** Well below the time that orchestrators give a process to stop. */
const GRACE_MS = 5_000;

/** Delivers webhooks in every server process; they share the work through the database. Commands deliver nothing by themselves. */
@Injectable()
export class WebhookWorker extends DueSignal implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookWorker.name);
  private isServing = false;

  constructor(
    private readonly scheduler: WebhookScheduler,
    private readonly host: HttpAdapterHost,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    if (!this.host.httpAdapter) return;
    this.isServing = true;
    this.jobs.repeat('deliver_webhooks', INTERVAL_MS, () => this.scheduler.poll());
  }

  due(caller: Caller, { type, notifyUrl }: NewEvent): void {
    if (!this.isServing) return;
    const warn = (error: unknown) => this.logger.warn(error);
    if (notifyUrl !== null)
      this.scheduler.wake(dueReceiver(caller.organization, storedReceiver(notifyUrl))).catch(warn);
    this.scheduler.wakeEndpoints(caller, type).catch(warn);
  }

  dueAt(due: DueReceiver): void {
    if (this.isServing) this.scheduler.wakeResting(due).catch((error: unknown) => this.logger.warn(error));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.scheduler.stop(GRACE_MS);
  }
}
