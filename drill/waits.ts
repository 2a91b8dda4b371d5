import { setTimeout as sleep } from 'node:timers/promises';
import type { Witness } from './witness.js';

/** Waits are counted in looks: on a busy machine, where these come late, a worker gets more time. */
const LOOK_MS = 20;
const QUIET = 300 / LOOK_MS;
/** How long nothing may happen before a wait is given up, and how long a worker may take to ask again for work. */
const [PATIENCE, ASKING_PATIENCE] = [8_000 / LOOK_MS, 16_000 / LOOK_MS];

export class Waits {
  constructor(
    private readonly witness: Witness,
    /** Throws when there is nothing more to wait for. */
    private readonly check: () => void,
    /** How many workers are running. */
    private readonly workers: () => number,
  ) {}

  /** Until all workers have asked for work since the clock moved and are done with it, or an answer waits for the clock. */
  settled(isHolding: () => boolean): Promise<boolean> {
    const { witness } = this;
    let [quiet, work] = [0, witness.work];
    return this.until(() => {
      quiet = work === witness.work ? quiet + 1 : 0;
      work = witness.work;
      return (
        quiet > QUIET &&
        (isHolding() || (witness.asked.size === this.workers() && witness.acting.size === 0))
      );
    }, ASKING_PATIENCE);
  }

  /** False if nothing was done for so many looks. */
  async until(condition: () => boolean | Promise<boolean>, patience = PATIENCE): Promise<boolean> {
    const { witness } = this;
    for (
      let [looks, work] = [0, witness.work];
      looks < patience;
      looks = work === witness.work ? looks + 1 : 0
    ) {
      work = witness.work;
      if (await condition()) return true;
      this.check();
      await sleep(LOOK_MS);
    }
    return false;
  }
}
