import { Clock } from '../../src/shared/clock.js';

/** A clock that stands still until a test advances it. */
export class TestClock extends Clock {
  private passed = 0;

  constructor(private instant: number = Date.now()) {
    super();
  }

  override now(): number {
    return this.instant;
  }

  override monotonic(): number {
    return this.passed;
  }

  advance(milliseconds: number): void {
    this.instant += milliseconds;
    this.passed += milliseconds;
  }

  /** Forwards only: identifiers carry their instant and never go back. */
  advanceTo(instant: string): void {
    this.advance(Math.max(0, Date.parse(instant) - this.instant));
  }

  /** As an operator or a time server does it: no time passes. */
  setBack(milliseconds: number): void {
    this.instant -= milliseconds;
  }
}
