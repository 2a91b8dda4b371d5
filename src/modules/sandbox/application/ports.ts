import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { Write } from '../../../shared/decision.js';
import type { SandboxClock } from '../domain/sandbox-clock.js';

/** The clocks of test modes, of which each organization has one. */
export abstract class SandboxClocks {
  abstract get(caller: Caller): Promise<SandboxClock>;
  /** In the open transaction, to its end: nobody else moves the clock. */
  abstract lock(caller: Caller): Promise<SandboxClock>;
  abstract store(caller: Caller, clock: SandboxClock): Write;
  /** Those of anyone that are ahead of real time. */
  abstract moved(): Promise<MovedClock[]>;
}

/** What is kept in real time, whatever clock its organization lives by: webhooks that are due later, stored responses. */
export abstract class Schedules {
  /** All of it that is the caller's is due so many seconds earlier, or is so much older. */
  abstract hasten(caller: Caller, seconds: number): readonly Write[];
}

/** What a moved clock has made due. */
export abstract class DueWork {
  /** Resolves when every process knows the clock and all that became due is done, or is taking longer than a request may. */
  abstract perform(caller: Caller): Promise<void>;
}
