import type { Command } from '@commander-js/extra-typings';
import { factsOf } from '../app.module.js';
import { Database } from '../platform/database/database.js';
import type { Invariant } from '../platform/facts.js';
import type { Mode } from '../shared/caller.js';
import { FIRST_UUID, firstUuidAt, idOf } from '../shared/id.js';
import { pastInstant } from './arguments.js';
import { withApplication } from './run.js';

interface Check {
  readonly promise: string;
  readonly checked: number;
  readonly offenders: readonly string[];
}

const MAX_OFFENDERS = 100;
const ALL = '/* every organization: the books of all must balance */';

export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description('prove that every amount adds up; exits 1 if not')
    .option(
      '--since <when>',
      'only of what was made since: a span (7d), an RFC 3339 time, a date or Unix seconds',
      pastInstant,
    )
    .action(({ since }) =>
      withApplication(
        async (application) => {
          const { checks, isBalanced } = await reconcile(application.get(Database), { since });
          if (!isBalanced) process.exitCode = 1;
          return { balanced: isBalanced, checks };
        },
        { mayLag: true },
      ),
    );
}

/** All checks share one snapshot: a refund between two would look like a difference. No parallel workers: the service needs the cores. */
export async function reconcile(
  database: Database,
  { since }: { since?: number | undefined } = {},
): Promise<{ checks: Check[]; isBalanced: boolean }> {
  const first = since === undefined ? FIRST_UUID : firstUuidAt(since);
  const checks = await database.run({ queue: 'reconcile' }, async () => {
    await database.manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await database.manager.query('SET LOCAL statement_timeout = 0');
    await database.manager.query('SET LOCAL max_parallel_workers_per_gather = 0');
    const made: Check[] = [];
    for (const invariant of factsOf().invariants) made.push(await checkOf(database, first, invariant));
    return made;
  });
  return { checks, isBalanced: checks.every(({ offenders }) => offenders.length === 0) };
}

async function checkOf({ manager }: Database, first: string, invariant: Invariant): Promise<Check> {
  const { promise, id: kind, book, joined = '', broken } = invariant;
  const counted = await manager.query(`${ALL} SELECT count(*) AS checked FROM ${book} book WHERE book.id >= $1`, [
    first,
  ]);
  const rows = await manager.query(
    `${ALL} SELECT book.id, book.mode FROM ${book} book ${joined} WHERE book.id >= $1 AND (${broken})
      ORDER BY book.id LIMIT ${MAX_OFFENDERS}`,
    [first],
  );
  const { checked } = counted[0] as { checked: number };
  return {
    promise,
    checked,
    offenders: (rows as { id: string; mode: Mode }[]).map(({ id, mode }) => idOf(kind, id, mode)),
  };
}
