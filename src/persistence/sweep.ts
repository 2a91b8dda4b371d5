import { setTimeout as sleep } from 'node:timers/promises';
import { isTimedOut, isUnavailable } from './faults.js';

interface Sweep<Row> {
  readonly limit: number;
  /** Finds up to `limit` rows after the given one, in a fixed order. */
  readonly find: (limit: number, after?: Row) => Promise<readonly Row[]>;
  readonly handle: (rows: readonly Row[]) => Promise<unknown>;
}

/**
 * Handles all rows, a batch at a time. A row that cannot be handled, or not in the time of a
 * statement, stops no other row: it is passed over, and its error is thrown at the end. Pauses
 * after each batch for as long as the batch took, to leave time for requests.
 */
export async function sweep<Row>({ limit, find, handle }: Sweep<Row>): Promise<void> {
  let fault: unknown;
  for (let rows = await find(limit); rows.length > 0; rows = await find(limit, rows.at(-1))) {
    const started = performance.now();
    fault = (await handled(rows, handle)) ?? fault;
    await sleep(performance.now() - started);
  }
  if (fault !== undefined) throw fault;
}

/**
 * Returns the error of one row, if any. When rows fail together, their two halves are handled
 * apart.
 */
async function handled<Row>(rows: readonly Row[], handle: Sweep<Row>['handle']): Promise<unknown> {
  try {
    await handle(rows);
    return undefined;
  } catch (error) {
    if (isUnavailable(error) && !isTimedOut(error)) throw error;
    if (rows.length === 1) return error;
    const half = Math.ceil(rows.length / 2);
    const fault = await handled(rows.slice(0, half), handle);
    return (await handled(rows.slice(half), handle)) ?? fault;
  }
}

/**
 * This is the place of a row of any organization: its owner, and its place in the table (ctid),
 * which it keeps until it changes.
 */
export interface Place {
  readonly organization: string;
  readonly place: string;
}

/**
 * Groups the places by organization. A statement that changes the rows must check them again,
 * because places may be reused.
 */
export function byOrganization(places: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(places, ({ organization }) => organization);
  return new Map(
    [...groups].map(([organization, group]) => [organization, group.map(({ place }) => place)]),
  );
}
