/** The first day: one worker has it for itself, and nothing kills the worker, so that it has to get out of every fault alone. */
import { DAY, HOUR } from './clock.js';
import type { Waits } from './waits.js';

/**
 * What is pending is decided after two days. A worker that looks less often may claim it for up to 60 days.
 * The time to the last refund is bounded by the sum.
 */
const STEPS = [
  ...Array<number>(6).fill(HOUR),
  ...Array<number>(14).fill(6 * HOUR),
  ...Array<number>(4).fill(DAY),
  61 * DAY,
  3 * DAY,
  3 * DAY,
];
/** A worker that has not asked for work in so many steps in turn, each some seconds long, stands still. */
const MOST_SILENT_STEPS = 2;

interface Surroundings {
  /** Lets the time pass, in seconds. */
  advance(seconds: number): Promise<void>;
  /** Whether an answer waits for the clock. */
  isHolding(): boolean;
  /** Whether a call is never answered, and the worker has not given it up. */
  isUnanswered(): boolean;
  /** Whether all refunds are decided as they should be. */
  isOver(): Promise<boolean>;
}

export type End = 'all are decided' | 'some are left' | 'it stands still';

export class FirstDay {
  constructor(
    private readonly waits: Waits,
    private readonly surroundings: Surroundings,
  ) {}

  /** Says how it ended: with refunds that the worker should have decided, or without. */
  async play(): Promise<End> {
    const { advance, isOver } = this.surroundings;
    let silent = 0;
    for (const seconds of STEPS) {
      const isAsking = await this.settled();
      if (await isOver()) return 'all are decided';
      silent = isAsking ? 0 : silent + 1;
      if (silent === MOST_SILENT_STEPS) return 'it stands still';
      await advance(seconds);
    }
    await this.settled();
    return (await isOver()) ? 'all are decided' : 'some are left';
  }

  /** The clock stands still until the worker gives an unanswered call up, because its time-out is in real time. */
  private async settled(): Promise<boolean> {
    const { isHolding, isUnanswered } = this.surroundings;
    for (;;) {
      const isAsking = await this.waits.settled(() => isHolding() || isUnanswered());
      if (!isUnanswered()) return isAsking;
      await this.waits.until(() => !isUnanswered());
    }
  }
}
