import type { Caller } from '../../../shared/caller.js';

export abstract class DueWork {
  /**
   * Performs the work that became due. Resolves when every process knows the clock, and the work is
   * done or takes longer than a request may. Jobs do the rest.
   */
  abstract perform(caller: Caller): Promise<void>;
}
