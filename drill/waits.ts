import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from './activity.js';

const LOOK_SECONDS = 0.02;
const SECOND_MS = 1_000;
/** The workers count as done if they have done nothing new for so long. */
const QUIET_SECONDS = 0.1;
/** The same time where one of them may still be at work on a refund. */
const LONG_QUIET_SECONDS = 0.3;

/**
 * Returns how many times longer everything takes on this machine, because all programs that want to
 * run share its processors.
 */
export const slowness = () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/**
 * Seconds here are those of a machine with nothing else to do. On a busy machine they last longer,
 * as the work of a worker does.
 */
export class Waits {
  constructor(
    private readonly activity: Activity,
    /** Throws when there is nothing more to wait for. */
    private readonly check: () => void,
    /** Returns the number of workers that are running. */
    private readonly workers: () => number,
    /** A worker that does nothing is waited for so long before it is judged by that. */
    readonly patience: number,
  ) {}

  /**
   * Waits until all workers have asked for work since the clock moved and are done with it, or have
   * an answer that waits for the clock.
   */
  settled(isHeld: (worker: number) => boolean, patience = this.patience / 4): Promise<boolean> {
    const { activity } = this;
    let [quiet, work] = [0, activity.work];
    return this.until(() => {
      quiet = work === activity.work ? quiet + LOOK_SECONDS : 0;
      work = activity.work;
      const workers = [...Array(this.workers()).keys()];
      const areIdle = workers.every((worker) => isHeld(worker) || activity.isIdle(worker));
      const mayGoOn = workers.some((worker) => activity.mayGoOn(worker));
      return areIdle && quiet > (mayGoOn ? LONG_QUIET_SECONDS * slowness() : QUIET_SECONDS);
    }, patience);
  }

  /** Returns false if nothing was done for so long. */
  async until(
    condition: () => boolean | Promise<boolean>,
    patience = this.patience / 8,
  ): Promise<boolean> {
    const { activity } = this;
    let [idle, work] = [0, activity.work];
    while (idle < patience) {
      if (await condition()) return true;
      this.check();
      await sleep(LOOK_SECONDS * SECOND_MS);
      idle = work === activity.work ? idle + LOOK_SECONDS / slowness() : 0;
      work = activity.work;
    }
    return false;
  }

  /** Resolves when a worker that waits has waited too long. */
  async tooLong(): Promise<void> {
    for (let waited = 0; waited < this.patience; waited += 1 / slowness())
      await sleep(SECOND_MS, undefined, { ref: false });
  }
}
