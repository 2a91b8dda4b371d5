/**
 * This file lists everything that is tried again, and how often. Any other error ends the work at
 * once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Stale } from '../shared/unit.js';
import { sqlState, violates } from './faults.js';

const RETRIES = {
  /**
   * PostgreSQL ended a statement or transaction for the sake of another one, and nothing was
   * written. Each attempt waits for up to 20 ms more.
   */
  conflict: {
    attempts: 3,
    pauseMs: 20,
    when: (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? ''),
  },
  /** The state changed, so the decision is made again on the current state. */
  stale: { attempts: 5, pauseMs: 0, when: (error: unknown) => error instanceof Stale },
} as const;

/**
 * Runs the work until it succeeds, fails for another reason, or has been tried as often as the
 * reason allows. Throws the last error.
 */
export async function retried<Result>(
  reason: keyof typeof RETRIES,
  work: () => Promise<Result>,
): Promise<Result> {
  const { attempts, pauseMs, when } = RETRIES[reason];
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !when(error)) throw error;
      if (pauseMs > 0) await sleep(Math.random() * pauseMs * attempt);
    }
  }
}

/**
 * This is PostgreSQL's division by zero: a batch did not change exactly the rows that it names
 * (batch/statement.ts).
 */
const OTHER_ROWS = '22012';

/**
 * Runs a write that is stale if it violates one of these constraints, or changes other rows: the
 * state has changed since the use case read it. Throws Stale then.
 */
export async function orStale<Result>(
  write: Promise<Result>,
  ...constraints: readonly string[]
): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    const isStale = constraints.some((constraint) => violates(error, constraint));
    throw isStale || sqlState(error) === OTHER_ROWS ? new Stale() : error;
  }
}
