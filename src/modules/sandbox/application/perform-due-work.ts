import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { WebhookScheduler } from '../../webhooks/index.js';
import { ScheduledWork } from './ports.js';

/**
 * The wait is longer than the timeout of a delivery attempt, and shorter than the usual timeout of
 * clients.
 */
const MAX_WAIT_MS = 20_000;

@Injectable()
export class PerformDueWork {
  constructor(
    private readonly clock: CallerClock,
    private readonly scheduled: ScheduledWork,
    private readonly webhooks: WebhookScheduler,
  ) {}

  /**
   * Performs the work that became due when the caller's clock was advanced. Resolves when every
   * process knows the clock, and the work is done or takes longer than a request may. Jobs do the
   * rest.
   */
  async execute(caller: Caller): Promise<void> {
    await this.clock.settled();
    const { organization, mode } = caller;
    const { ahead } = await this.clock.at(caller);
    const steps = [
      () => this.scheduled.moveDeliveries(caller),
      ...this.scheduled.sweeps.map((sweep) => () => sweep({ organization, mode, ahead })),
      () => this.webhooks.deliver(caller, MAX_WAIT_MS),
    ];
    for (const step of steps) await step().catch((error: unknown) => this.scheduled.warn(error));
  }
}
