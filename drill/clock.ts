import { demand, each } from './api.js';
import type { Stage } from './stage.js';

export const HOUR = 3600;
export const DAY = 24 * HOUR;

/**
 * The time of a drill is real time and the time that was skipped. Tillgate, the leases of claims
 * and the provider live at it.
 */
export class Clock {
  /** The clocks of the workers are fast by so many seconds. */
  fast = 0;
  private skipped = 0;
  private readonly startedAt = Date.now() / 1000;
  private next = Promise.withResolvers<void>();

  constructor(private readonly stage: Stage) {}

  /** Returns the seconds since the drill began. */
  now(): number {
    return Date.now() / 1000 - this.startedAt + this.skipped;
  }

  /** Returns a label like "day 2 03:14:15". */
  label(): string {
    const time = new Date(this.now() * 1000).toISOString().slice(11, 19);
    return `day ${Math.floor(this.now() / DAY) + 1} ${time}`;
  }

  /**
   * Returns the time that a worker is told: leases are in real time, and the age of a refund is
   * not.
   */
  told(member: string, time: number): number {
    return time - this.fast - (member === 'created' ? this.skipped : 0);
  }

  /** Resolves when time is skipped the next time. */
  moved(): Promise<void> {
    return this.next.promise;
  }

  /**
   * Skips time. `arrive` runs before any lease has ended. Leases are in real time, so they are
   * brought forward in the database.
   */
  async advance(seconds: number, arrive: () => Promise<void>): Promise<void> {
    const { sql, url, organizations } = this.stage;
    await each(organizations, ({ key }) =>
      demand(`${url}/v1/test_helpers/clock`, key, { advance_seconds: seconds }),
    );
    this.skipped += seconds;
    await arrive();
    await sql.query(
      `UPDATE refunds SET claim_expires_at = claim_expires_at - $1 * interval '1 second',
        claimable_at = claimable_at - $1 * interval '1 second' WHERE status = 'pending' AND claim_number > 0`,
      [seconds],
    );
    this.next.resolve();
    this.next = Promise.withResolvers();
  }
}
