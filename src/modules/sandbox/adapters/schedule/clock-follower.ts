import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../../../persistence/sweep.js';
import { Units } from '../../../../persistence/units.js';
import { Jobs } from '../../../../platform/jobs.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { AdvanceTestClock, type TestClock, TestClocks } from '../../../access/index.js';
import { DeliveryQueue } from '../../../webhooks/index.js';
import { ScheduledWork } from '../../application/ports.js';

/** The job does the work of moved clocks at this interval, and for so many clocks at once. */
const INTERVAL_MS = 5_000;
const BATCH = 100;

/** Makes deliveries and jobs follow the clocks that were moved. */
@Injectable()
export class ClockFollower extends ScheduledWork implements OnApplicationBootstrap {
  private readonly logger = new Logger(ClockFollower.name);

  constructor(
    private readonly units: Units,
    private readonly clock: CallerClock,
    private readonly testClocks: TestClocks,
    private readonly advanceTestClock: AdvanceTestClock,
    private readonly queue: DeliveryQueue,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  get sweeps() {
    return this.jobs.sweeps;
  }

  onApplicationBootstrap(): void {
    this.jobs.repeat('follow_test_clocks', INTERVAL_MS, () => this.follow());
  }

  warn(error: unknown): void {
    this.logger.warn(error);
  }

  async moveDeliveries(caller: Caller): Promise<void> {
    await this.units.commit(caller, (unit) =>
      this.advanceTestClock.moveSchedule(unit, (moved, seconds) =>
        this.queue.advance(moved, seconds),
      ),
    );
  }

  private async follow(): Promise<void> {
    await sweep<Caller & TestClock>({
      limit: BATCH,
      find: (limit, after) => this.testClocks.moved(limit, after),
      handle: async (moved) => {
        const behind = moved.filter(isBehind);
        if (behind.length > 0) await this.clock.settled();
        for (const caller of behind) await this.moveDeliveries(caller);
        for (const clock of moved.map(movedClock))
          for (const sweep of this.jobs.sweeps) await sweep(clock);
      },
    });
  }
}

/** The deliveries have not followed the clock, because a step was interrupted. */
const isBehind = ({ aheadSeconds, scheduledSeconds }: TestClock) => scheduledSeconds < aheadSeconds;

const movedClock = ({ organization, mode, aheadSeconds }: Caller & TestClock): MovedClock => {
  return { organization, mode, ahead: aheadSeconds * 1000 };
};
