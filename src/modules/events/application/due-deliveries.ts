import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { DeliverySchedule } from './delivery-schedule.js';
import { pause } from './in-groups.js';
import { WebhookScheduler } from './webhook-scheduler.js';

const PAUSE_MS = 10;

@Injectable()
export class DueDeliveries {
  constructor(
    private readonly scheduler: WebhookScheduler,
    private readonly schedule: DeliverySchedule,
  ) {}

  /** Attempts the due deliveries of a caller whose clock was moved, until none is due or under way, or for `maxMs` at most. */
  async deliver(caller: Caller, maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    while (performance.now() < until && !(await this.schedule.isIdle(caller))) {
      await this.scheduler.pollAfterClock(caller.organization);
      await pause(PAUSE_MS);
    }
  }
}
