import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../../../persistence/sweep.js';
import { Units } from '../../../../persistence/units.js';
import { Jobs } from '../../../../platform/jobs.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { AdvanceTestClock, type MovedTestClock, TestClocks } from '../../../access/index.js';
import { DeliveryQueue, WebhookScheduler } from '../../../webhooks/index.js';
import { DueWork } from '../../application/ports.js';

/**
 * The wait is longer than the timeout of a delivery attempt, and shorter than the usual timeout of
 * clients.
 */
const MAX_WAIT_MS = 20_000;
/** The job does the work of moved clocks at this interval, and for so many clocks at once. */
const INTERVAL_MS = 5_000;
const BATCH = 100;

@Injectable()
export class ClockDueWork extends DueWork implements OnApplicationBootstrap {
  private readonly logger = new Logger(ClockDueWork.name);

  constructor(
    private readonly units: Units,
    private readonly clock: CallerClock,
    private readonly testClocks: TestClocks,
    private readonly advanceTestClock: AdvanceTestClock,
    private readonly queue: DeliveryQueue,
    private readonly webhooks: WebhookScheduler,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.jobs.repeat('follow_test_clocks', INTERVAL_MS, () => this.follow());
  }

  async perform(caller: Caller): Promise<void> {
    await this.clock.settled();
    const { organization, mode } = caller;
    const { ahead } = await this.clock.at(caller);
    const clock = { organization, mode, ahead };
    const work = [
      () => this.moveSchedule(caller),
      ...this.jobs.sweeps.map((sweep) => () => sweep(clock)),
      () => this.webhooks.deliver(caller, MAX_WAIT_MS),
    ];
    for (const step of work) await step().catch((error: unknown) => this.logger.warn(error));
  }

  private async follow(): Promise<void> {
    await sweep<MovedTestClock>({
      limit: BATCH,
      find: (limit, after) => this.testClocks.moved(limit, after),
      handle: async (moved) => {
        const behind = moved.filter(({ isBehind }) => isBehind);
        if (behind.length > 0) await this.clock.settled();
        for (const clock of behind) await this.moveSchedule(clock);
        for (const clock of moved) for (const sweep of this.jobs.sweeps) await sweep(clock);
      },
    });
  }

  private async moveSchedule(caller: Caller): Promise<void> {
    await this.units.commit(caller, (unit) =>
      this.advanceTestClock.moveSchedule(unit, (moved, seconds) =>
        this.queue.advance(moved, seconds),
      ),
    );
  }
}
