import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';

/** Work that is scheduled in real time, or done by jobs. */
export abstract class ScheduledWork {
  /**
   * Moves the caller's deliveries by the seconds that the clock was advanced since the last call.
   */
  abstract moveDeliveries(caller: Caller): Promise<void>;
  /** Logs that a part of the work failed. Jobs do it again. */
  abstract warn(error: unknown): void;
  /** These sweeps of the modules do what became due for the clock's caller. */
  abstract readonly sweeps: readonly ((clock: MovedClock) => Promise<unknown>)[];
}
