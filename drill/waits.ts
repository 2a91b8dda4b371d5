import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from './activity.js';

const LOOK_SECONDS = 0.02;
const SECOND_MS = 1_000;
/** How long nothing new may have been done before the workers count as done. */
const QUIET_SECONDS = 0.1;
/** The same where one of them may still be in the middle of something. */
const LONG_QUIET_SECONDS = 0.3;

/** How many times longer than alone everything takes on this machine: all programs that want to run share its processors. */
export const slowness = () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/** All seconds here are those of a machine with nothing else to do. On a busy one they last longer, as a worker does. */
export class Waits {
  constructor(
    private readonly activity: Activity,
    /** Throws when there is nothing more to wait for. */
    private readonly check: () => void,
    /** How many workers are running. */
    private readonly workers: () => number,
    /** How long a worker that does nothing is waited for where it is judged by that. */
    readonly patience: number,
  ) {}

  /** Until all workers have asked for work since the clock moved and are done with it, or have an answer that waits for the clock. */
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

  /** False if nothing was done for so long. */
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
