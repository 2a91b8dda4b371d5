import type { Caller } from '../../src/shared/caller.js';
import { Stale, type Unit } from '../../src/shared/unit.js';

/**
 * Runs a use case whose ports are in memory. Like a unit of work, it runs a stale use case again.
 */
export async function inUnit<Result>(
  caller: Caller,
  use: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const unit = { ...caller, now: Date.now(), ahead: 0, afterCommit: () => undefined };
    try {
      return await use(unit as unknown as Unit);
    } catch (error) {
      if (attempt === 5 || !(error instanceof Stale)) throw error;
    }
  }
}
