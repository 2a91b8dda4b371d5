/**
 * On the first day one worker runs alone, and nothing kills it, so it has to recover from every
 * fault by itself.
 */
import { DAY, HOUR } from './clock.js';
import type { Waits } from './waits.js';

/** Each hour gives another attempt at refunds that are not decided. */
const MOST_HOURS = 6;
/** Then payouts that are pending at the provider are decided, which takes two days. */
const STEPS = [...Array<number>(5).fill(12 * HOUR), DAY, DAY];
/**
 * A worker may claim a pending refund for up to 60 days, and release one that cannot be paid for up
 * to 7.
 */
const CALM_STEPS = [61 * DAY, 8 * DAY];
const MOST_ROUNDS = 3;

interface Surroundings {
  /** Lets so many seconds pass. */
  advance(seconds: number): Promise<void>;
  /** Tells whether an answer waits for the clock. */
  isHeld(): boolean;
  /** Tells whether a call has no answer, and the worker still waits for it. */
  isUnanswered(): boolean;
  /** Ends all faults. */
  calm(): void;
  left(): Promise<Left>;
}

/** Says which refunds are not decided as they should be. */
export interface Left {
  readonly count: number;
  /** True if the worker could decide one of them at once. */
  readonly isUrgent: boolean;
}

export type End = 'all are decided' | 'some are left' | 'it stands still' | 'time is up';

export class FirstDay {
  private left: Left = { count: 0, isUrgent: true };

  constructor(
    private readonly waits: Waits,
    private readonly surroundings: Surroundings,
  ) {}

  /** Plays the day. Says whether refunds are left that the worker should have decided. */
  async play(): Promise<End> {
    const end = (await this.hours()) ?? (await this.pass(STEPS));
    if (end) return end;
    this.surroundings.calm();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = this.left.count;
      const end = await this.pass(CALM_STEPS);
      if (end) return end;
      if (this.left.count === before) return 'some are left';
    }
    return 'time is up';
  }

  private async hours(): Promise<End | undefined> {
    let end = await this.endNow();
    for (let hour = 0; !end && this.left.isUrgent && hour < MOST_HOURS; hour++)
      end = await this.pass([HOUR]);
    return end;
  }

  private async pass(steps: readonly number[]): Promise<End | undefined> {
    for (const seconds of steps) {
      await this.surroundings.advance(seconds);
      const end = await this.endNow();
      if (end) return end;
    }
    return undefined;
  }

  private async endNow(): Promise<End | undefined> {
    if (!(await this.settled())) return 'it stands still';
    this.left = await this.surroundings.left();
    return this.left.count === 0 ? 'all are decided' : undefined;
  }

  /**
   * The clock stands still until the worker gives up an unanswered call, because its time-out is in
   * real time.
   */
  private async settled(): Promise<boolean> {
    const { isHeld, isUnanswered } = this.surroundings;
    const { patience } = this.waits;
    for (;;) {
      const isAsking = await this.waits.settled(() => isHeld() || isUnanswered(), patience);
      if (!isUnanswered()) return isAsking;
      await this.waits.until(() => !isUnanswered(), patience);
    }
  }
}
