import type { Database } from '../platform/database/database.js';
import { facts, type Invariant } from '../platform/facts.js';
import type { Mode } from '../shared/caller.js';
import { FIRST_UUID, firstUuidAt, idOf } from '../shared/id.js';

interface Check {
  readonly promise: string;
  readonly checked: number;
  readonly offenders: readonly string[];
}

const MAX_OFFENDERS = 100;
const ALL = '/* every organization: the books of all must balance */';

/**
 * Checks what the modules promise about the rows of all organizations. All checks share one snapshot, because a refund
 * between two of them would look like a difference. No parallel workers, to leave the other cores to the service.
 */
export async function reconcile(
  database: Database,
  { since }: { since?: number | undefined } = {},
): Promise<{ checks: Check[]; isBalanced: boolean }> {
  const first = since === undefined ? FIRST_UUID : firstUuidAt(since);
  const checks = await database.run(async () => {
    await database.manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await database.manager.query('SET LOCAL statement_timeout = 0');
    await database.manager.query('SET LOCAL max_parallel_workers_per_gather = 0');
    return checksOf((sql, values) => database.manager.query(sql, values), { first });
  });
  return { checks, isBalanced: checks.every(({ offenders }) => offenders.length === 0) };
}

type Query = (sql: string, values: unknown[]) => Promise<unknown[]>;

interface Extent {
  readonly first: string;
  readonly organization?: string;
}

export async function checksOf(query: Query, extent: Extent): Promise<Check[]> {
  const made: Check[] = [];
  for (const invariant of facts.invariants) made.push(await checkOf(query, extent, invariant));
  return made;
}

async function checkOf(query: Query, { first, organization }: Extent, invariant: Invariant): Promise<Check> {
  const { promise, id: kind, book, joined = '', broken } = invariant;
  const within = 'book.id >= $1 AND ($2::uuid IS NULL OR book.organization_id = $2)';
  const values = [first, organization ?? null];
  const counted = await query(`${ALL} SELECT count(*) AS checked FROM ${book} book WHERE ${within}`, values);
  const rows = await query(
    `${ALL} SELECT book.id, book.mode FROM ${book} book ${joined} WHERE ${within} AND (${broken})
      ORDER BY book.id LIMIT ${MAX_OFFENDERS}`,
    values,
  );
  const { checked } = counted[0] as { checked: number };
  return {
    promise,
    checked,
    offenders: (rows as { id: string; mode: Mode }[]).map(({ id, mode }) => idOf(kind, id, mode)),
  };
}
