import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Repetition, repeat } from '../../../../platform/repeat.js';
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
export class WebhookWorker extends DueSignal implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(WebhookWorker.name);
  private repetition: Repetition | undefined;

  constructor(
    private readonly scheduler: WebhookScheduler,
    private readonly host: HttpAdapterHost,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    if (!this.host.httpAdapter) return;
    this.repetition = repeat(() => this.scheduler.look(), {
      job: 'deliver_webhooks',
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  due(caller: Caller, { type, notifyUrl }: Happening): void {
    if (!this.repetition) return;
    const warn = (error: unknown) => this.logger.warn(error);
    if (notifyUrl !== null)
      this.scheduler.wake(dueReceiver(caller.organization, spelledReceiver(notifyUrl))).catch(warn);
    this.scheduler.wakeEndpoints(caller, type).catch(warn);
  }

  dueAt(due: DueReceiver): void {
    if (this.repetition) this.scheduler.wakeRested(due).catch((error: unknown) => this.logger.warn(error));
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
    await this.scheduler.stop(GRACE_MS);
  }
}
