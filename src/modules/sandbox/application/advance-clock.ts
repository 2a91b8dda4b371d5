import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { SandboxClock, Step } from '../domain/sandbox-clock.js';
import { SandboxClocks } from './ports.js';

@Injectable()
export class AdvanceClock {
  constructor(
    private readonly clocks: SandboxClocks,
    private readonly clock: Clock,
  ) {}

  /** Advances the clock of the caller's test mode. Concurrent steps add up, because each locks the clock. */
  async execute(caller: Caller, step: Step): Promise<Decision<SandboxClock>> {
    return inTransaction(async () => {
      const advanced = (await this.clocks.lock(caller)).advance(step, this.clock.now());
      return decided(advanced, this.clocks.store(caller, advanced));
    });
  }
}
