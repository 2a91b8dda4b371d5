import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Jobs } from '../../../../platform/jobs.js';
import type { Caller } from '../../../../shared/caller.js';
import { DueSignal } from '../../application/ports.js';
import type { Happening } from '../../domain/event.js';
import { type DueReceiver, dueReceiver, spelledReceiver } from '../../domain/receiver.js';
import { WebhookScheduler } from './webhook-scheduler.js';

/** How late an attempt may be that nobody signalled: a retry, or one that another process left. */
const INTERVAL_MS = 1_000;
/** Well inside the time an orchestrator leaves a process to end. */
const GRACE_MS = 5_000;

/** Every serving instance delivers: they share the work through the database. A command for an operator does not. */
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
    this.jobs.repeat('deliver_webhooks', INTERVAL_MS, () => this.scheduler.look());
  }

  due(caller: Caller, { type, notifyUrl }: Happening): void {
    if (!this.isServing) return;
    const warn = (error: unknown) => this.logger.warn(error);
    if (notifyUrl !== null)
      this.scheduler.wake(dueReceiver(caller.organization, spelledReceiver(notifyUrl))).catch(warn);
    this.scheduler.wakeEndpoints(caller, type).catch(warn);
  }

  dueAt(due: DueReceiver): void {
    if (this.isServing) this.scheduler.wakeRested(due).catch((error: unknown) => this.logger.warn(error));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.scheduler.stop(GRACE_MS);
  }
}
