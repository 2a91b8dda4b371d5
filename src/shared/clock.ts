import type { Caller } from './caller.js';

/** The time of this process, in milliseconds. The clock of the database decides what has expired. */
export class Clock {
  now(): number {
    return Date.now();
  }

  /** Milliseconds since an arbitrary instant, which are never set back. For measuring durations. */
  monotonic(): number {
    return performance.now();
  }
}

/** The time of a caller, and how far it is ahead of real time. Both in milliseconds. */
export interface Moment {
  readonly now: number;
  readonly ahead: number;
}

export interface TimedCaller extends Caller, Moment {}

/** A caller whose time is ahead of real time, and how far, in milliseconds. */
export type MovedClock = Omit<TimedCaller, 'now'>;

/** The time of callers. In test mode it is ahead of real time if the organization has moved its clock. */
export abstract class CallerClock {
  /** Reads the clock of a test mode, unless it was read a moment ago. In live mode there is nothing to read. */
  abstract at(caller: Caller): TimedCaller | Promise<TimedCaller>;
  /** Resolves when all processes read a clock that was stored before. */
  abstract settled(): Promise<void>;
}
