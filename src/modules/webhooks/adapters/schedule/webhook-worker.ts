import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Jobs } from '../../../../platform/jobs.js';
import { Outbox } from '../../../events/index.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';

const JOB = 'deliver_webhooks';
/**
 * A retry, or a delivery that another process left, may be attempted so late. The first one that an
 * idle process finds comes up to PendingWork's interval later.
 */
const INTERVAL_MS = 1_000;
/** The time is well below the one that orchestrators give a process to stop. */
const GRACE_MS = 5_000;

/**
 * Delivers webhooks in every server process; they share the work through the database. Commands
 * deliver nothing by themselves.
 */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly outbox: Outbox,
    private readonly scheduler: WebhookScheduler,
    private readonly host: HttpAdapterHost,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.host.httpAdapter) return;
    this.outbox.onCommitted((caller, event) => {
      this.scheduler.recorded(caller, event);
      // An event may have receivers that this process does not know yet.
      this.jobs.tell(JOB, true);
    });
    this.scheduler.serve();
    this.jobs.repeat(JOB, INTERVAL_MS, () => this.scheduler.poll());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.scheduler.stop(GRACE_MS);
  }
}
