import { Clock } from '../../src/shared/clock.js';

/** A clock that stands still until it is told to go on. */
export class TestClock extends Clock {
  constructor(private instant: number = Date.now()) {
    super();
  }

  now(): number {
    return this.instant;
  }

  advance(milliseconds: number): void {
    this.instant += milliseconds;
  }

  /** Forwards only: identifiers carry their instant and never go back. */
  advanceTo(instant: string): void {
    this.instant = Math.max(this.instant, Date.parse(instant));
  }
}
