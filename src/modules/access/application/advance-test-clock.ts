import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction, type Write } from '../../../shared/decision.js';
import { advanced, type Step } from '../domain/test-clock.js';
import { TestClocks } from './ports.js';

/** Advances the clock of a caller's test mode. Each step locks the clock, so concurrent steps add up. */
@Injectable()
export class AdvanceTestClock {
  constructor(
    private readonly clocks: TestClocks,
    private readonly clock: Clock,
  ) {}

  /** The result is how far the clock is ahead of real time then, in milliseconds. */
  async execute(caller: Caller, step: Step): Promise<Decision<number>> {
    return inTransaction(caller, async () => {
      const clock = advanced(await this.clocks.lock(caller), step, this.clock.now());
      await this.clocks.store(caller, clock);
      return decided(clock.aheadSeconds * 1000);
    });
  }

  /** Moves what is scheduled in real time by the seconds that the clock was advanced since the last call. */
  async moveSchedule(caller: Caller, move: (seconds: number) => Write): Promise<Decision<null>> {
    return inTransaction(caller, async () => {
      const { aheadSeconds, scheduledSeconds } = await this.clocks.lock(caller);
      const seconds = aheadSeconds - scheduledSeconds;
      if (seconds === 0) return decided(null);
      await this.clocks.store(caller, { aheadSeconds, scheduledSeconds: aheadSeconds });
      return decided(null, move(seconds));
    });
  }
}
