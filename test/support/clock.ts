import { Clock } from '../../src/shared/clock.js';

/** This clock stands still until a test advances it. */
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

  /**
   * Moves the clock, which only goes forward because identifiers carry their instant and never go
   * back.
   */
  advanceTo(instant: string): void {
    this.advance(Math.max(0, Date.parse(instant) - this.instant));
  }

  /** Sets the clock back as an operator or a time server does, without any time that passes. */
  setBack(milliseconds: number): void {
    this.instant -= milliseconds;
  }
}
