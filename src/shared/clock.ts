import type { Caller } from './caller.js';

/** The instant this process believes it is, in milliseconds. What expires is decided by the database's clock instead. */
export abstract class Clock {
  abstract now(): number;
  /** Milliseconds since some instant, never set back: for ages. */
  abstract monotonic(): number;
}

/** An instant as a caller lives it, and how far that is ahead of real time. Both in milliseconds. */
export interface Moment {
  readonly now: number;
  readonly ahead: number;
}

/** How far the test mode of an organization is ahead of real time, in milliseconds. */
export interface MovedClock {
  readonly organization: string;
  readonly ahead: number;
}

/** The time that callers live in: ahead of real time in the test mode of an organization that has moved its clock. */
export abstract class CallerClock {
  abstract at(caller: Caller): Moment;
  abstract moved(): readonly MovedClock[];
}
