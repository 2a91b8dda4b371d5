import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { Write } from '../../../shared/decision.js';
import type { SandboxClock } from '../domain/sandbox-clock.js';

/** The clocks of test modes. Each organization has one. */
export abstract class SandboxClocks {
  abstract get(caller: Caller): Promise<SandboxClock>;
  /** Locks the clock until the end of the open transaction. */
  abstract lock(caller: Caller): Promise<SandboxClock>;
  abstract store(caller: Caller, clock: SandboxClock): Write;
  /** The clocks of all organizations that are ahead of real time. */
  abstract moved(): Promise<MovedClock[]>;
}

/** Times that are stored as real time and must follow a moved clock: due times of webhooks, ages of stored responses. */
export abstract class Schedules {
  /** Makes the caller's webhooks due `seconds` earlier, and the caller's stored responses `seconds` older. */
  abstract advance(caller: Caller, seconds: number): readonly Write[];
}

/** The work that became due because a clock was moved. */
export abstract class DueWork {
  /** Resolves when every process knows the clock and the work is done, or takes longer than a request may. */
  abstract perform(caller: Caller): Promise<void>;
}
