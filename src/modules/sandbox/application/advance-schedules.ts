import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { SandboxClocks, Schedules } from './ports.js';

@Injectable()
export class AdvanceSchedules {
  constructor(
    private readonly clocks: SandboxClocks,
    private readonly schedules: Schedules,
  ) {}

  /** Moves the schedules by the seconds that the clock was advanced since the last call. Safe to call at any time. */
  async execute(caller: Caller): Promise<Decision<null>> {
    return inTransaction(async () => {
      const clock = await this.clocks.lock(caller);
      const seconds = clock.aheadSeconds - clock.scheduledSeconds;
      if (seconds === 0) return decided(null);
      return decided(null, this.clocks.store(caller, clock.scheduled()), ...this.schedules.advance(caller, seconds));
    });
  }
}
