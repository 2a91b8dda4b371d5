/** The first day: one worker has it for itself, and nothing kills the worker, so that it has to get out of every fault alone. */
import { DAY, HOUR } from './clock.js';
import type { Waits } from './waits.js';

/** An hour is another attempt at what was not decided. */
const MOST_HOURS = 6;
/** Then what is pending at the provider is decided, which takes two days. */
const STEPS = [...Array<number>(5).fill(12 * HOUR), DAY, DAY];
/** A worker may claim for up to 60 days what is pending, and release for up to 7 what cannot be paid. */
const CALM_STEPS = [61 * DAY, 8 * DAY];
const MOST_ROUNDS = 3;

interface Surroundings {
  /** Lets the time pass, in seconds. */
  advance(seconds: number): Promise<void>;
  /** Whether an answer waits for the clock. */
  isHeld(): boolean;
  /** Whether a call is never answered, and the worker has not given it up. */
  isUnanswered(): boolean;
  /** Ends all faults. */
  calm(): void;
  left(): Promise<Left>;
}

/** What of the refunds is not decided as it should be. */
export interface Left {
  readonly count: number;
  /** Whether the worker could decide one of them at once. */
  readonly isUrgent: boolean;
}

export type End = 'all are decided' | 'some are left' | 'it stands still' | 'time is up';

export class FirstDay {
  private left: Left = { count: 0, isUrgent: true };

  constructor(
    private readonly waits: Waits,
    private readonly surroundings: Surroundings,
  ) {}

  /** Says how it ended: with refunds that the worker should have decided, or without. */
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

  /** The clock stands still until the worker gives an unanswered call up, because its time-out is in real time. */
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
