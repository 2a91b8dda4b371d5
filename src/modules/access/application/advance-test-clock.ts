import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import type { Unit } from '../../../shared/unit.js';
import { advanced, type Step } from '../domain/test-clock.js';
import { TestClocks } from './ports.js';

/**
 * Advances the clock of a caller's test mode. Each step locks the clock, so concurrent steps add
 * up.
 */
@Injectable()
export class AdvanceTestClock {
  constructor(
    private readonly clocks: TestClocks,
    private readonly clock: Clock,
  ) {}

  /** Returns how far the clock is then ahead of real time, in milliseconds. */
  async execute(unit: Unit, step: Step): Promise<number> {
    const clock = advanced(await this.clocks.lock(unit), step, this.clock.now());
    this.clocks.store(unit, clock);
    return clock.aheadSeconds * 1000;
  }

  /**
   * Moves the work that is scheduled in real time by the seconds that the clock was advanced since
   * the last call.
   */
  async moveSchedule(unit: Unit, move: (unit: Unit, seconds: number) => void): Promise<void> {
    const { aheadSeconds, scheduledSeconds } = await this.clocks.lock(unit);
    const seconds = aheadSeconds - scheduledSeconds;
    if (seconds === 0) return;
    this.clocks.store(unit, { aheadSeconds, scheduledSeconds: aheadSeconds });
    move(unit, seconds);
  }
}
