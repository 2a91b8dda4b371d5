import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import { DeliverySchedule } from '../../application/delivery-schedule.js';
import { WebhookScheduler } from './webhook-scheduler.js';

const PAUSE_MS = 10;

@Injectable()
export class DueDeliveries {
  constructor(
    private readonly scheduler: WebhookScheduler,
    private readonly schedule: DeliverySchedule,
  ) {}

  /** Attempts what is due of a caller whose clock was moved, until nothing is due or under way, or patience is over. */
  async deliver(caller: Caller, patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until && !(await this.schedule.isSettled(caller))) {
      await this.scheduler.lookFor(caller.organization);
      await sleep(PAUSE_MS);
    }
  }
}
