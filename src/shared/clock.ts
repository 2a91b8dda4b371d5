import type { Caller } from './caller.js';

/**
 * Tells the time of this process, in milliseconds. The clock of the database decides what has
 * expired.
 */
export class Clock {
  now(): number {
    return Date.now();
  }

  /**
   * Returns milliseconds since an arbitrary instant, which are never set back. It serves to measure
   * durations.
   */
  monotonic(): number {
    return performance.now();
  }
}

/**
 * A moment is the time of a caller, and how far it is ahead of real time. Both are in milliseconds.
 */
export interface Moment {
  readonly now: number;
  readonly ahead: number;
}

/** A moved clock is a caller whose time is ahead of real time, and how far, in milliseconds. */
export interface MovedClock extends Caller {
  readonly ahead: number;
}

/**
 * Tells the time of callers. In test mode it is ahead of real time if the organization has moved
 * its clock.
 */
export abstract class CallerClock {
  /**
   * Reads the clock of a test mode, unless it was read a moment ago. A unit has its time, and live
   * mode the real one.
   */
  abstract at(caller: Caller): Moment | Promise<Moment>;
  /** Resolves when all processes read a clock that was stored before. */
  abstract settled(): Promise<void>;
}
