/** Finds what a migration locks: another connection looks every few milliseconds while it runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { withClient } from '../support/postgres.js';

const LOOK_MS = 2;
/** If two looks in a row saw a lock, it was held between them. */
const LOOK = `SELECT (SELECT count(*)::integer FROM migrations) AS applied,
    ARRAY(SELECT relation::integer FROM pg_locks WHERE granted AND locktype = 'relation' AND relation = ANY ($1)
      AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS locked`;
const TABLES = `SELECT oid::integer, relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`;

interface Held {
  readonly tables: Set<string>;
  ms: number;
}

/**
 * Returns how long each step of a migration kept others from writing to existing tables, by its
 * number, while the work runs.
 */
export async function locksDuring<Result>(url: string, work: () => Promise<Result>) {
  return withClient(url, async (client) => {
    const { rows } = await client.query(TABLES);
    const names = new Map<number, string>(rows.map(({ oid, name }) => [oid, name]));
    const steps = new Map<number, Held>();
    let isDone = false;
    const looking = look(client, names, steps, () => isDone);
    const result = await work().finally(() => {
      isDone = true;
    });
    await looking;
    return { result, steps };
  });
}

async function look(
  client: Client,
  names: ReadonlyMap<number, string>,
  steps: Map<number, Held>,
  isDone: () => boolean,
): Promise<void> {
  const since = new Map<number, number>();
  let before: number | undefined;
  while (!isDone()) {
    const { rows } = await client.query(LOOK, [[...names.keys()]]);
    const { applied, locked } = rows[0] as { applied: number; locked: readonly number[] };
    const now = performance.now();
    if (applied !== before) since.clear();
    before = applied;
    for (const table of since.keys()) if (!locked.includes(table)) since.delete(table);
    for (const table of locked) {
      const step = steps.get(applied) ?? { tables: new Set(), ms: 0 };
      if (!since.has(table)) since.set(table, now);
      step.tables.add(names.get(table) as string);
      step.ms = Math.max(step.ms, now - (since.get(table) as number) + LOOK_MS);
      steps.set(applied, step);
    }
    await sleep(LOOK_MS);
  }
}
