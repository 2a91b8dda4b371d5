import type { Command } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import { declarationsOf } from '../../app.module.js';
import { PAYMENT_ID } from '../../modules/payments/index.js';
import { RepairPayment } from '../../modules/refunds/index.js';
import { Database } from '../../persistence/database.js';
import type { Transaction } from '../../persistence/transaction.js';
import { Units } from '../../persistence/units.js';
import type { Invariant } from '../../platform/module-declaration.js';
import type { Progress } from '../../platform/progress.js';
import { type Mode, Owners } from '../../shared/caller.js';
import { FIRST_UUID, firstUuidAt, idOf, modeOf, prefixOf } from '../../shared/id.js';
import { ownId } from '../../shared/own-id.js';
import { withApplication } from './application.js';
import { pastInstant } from './arguments.js';

interface Check {
  readonly promise: string;
  readonly checked: number;
  readonly offenders: readonly string[];
}

const MAX_OFFENDERS = 100;

export function define(command: Command): void {
  command
    .option(
      '--since <when>',
      'only of what was made since: a span (7d), an RFC 3339 time, a date or Unix seconds',
      pastInstant,
    )
    .option(
      '--repair',
      'show what would make the sums of payments those of their refunds; changes nothing',
    )
    .option('--apply', 'with --repair: do it, and reconcile again')
    .action(({ since, repair = false, apply = false }, command) => {
      if (apply && !repair) return command.error('Give --apply with --repair.');
      return withApplication(async (application, progress) => {
        const found = await reconcile(application, { since, progress });
        const repairs = repair ? await repairsOf(application, found.checks, apply) : undefined;
        const { checks, isBalanced } = apply
          ? await reconcile(application, { since, progress })
          : found;
        if (!isBalanced) process.exitCode = 1;
        return { balanced: isBalanced, checks, ...(repairs && { repairs }) };
      });
    });
}

/** Repairs the payments that were found: at most MAX_OFFENDERS for each invariant. */
async function repairsOf(
  application: INestApplicationContext,
  checks: readonly Check[],
  isMeant: boolean,
) {
  const [units, owners] = [application.get(Units), application.get(Owners)];
  const repair = application.get(RepairPayment, { strict: false });
  const ids = new Set(
    checks.flatMap(({ offenders }) => offenders.filter((id) => prefixOf(id) === PAYMENT_ID.prefix)),
  );
  const repairs = [];
  for (const id of ids) {
    const ledger = { mode: modeOf(id) };
    const owner = await owners.of(ledger, id);
    const repaired = await units.commit(owner, (unit) =>
      repair.execute(unit, ownId(unit, id), isMeant),
    );
    repairs.push({
      payment: id,
      amount_refunded: repaired.amountRefunded,
      amount_pending_refund: repaired.amountPendingRefund,
      failed: repaired.failed.map(({ state }) => state.id),
      overdrawn: repaired.overdrawn,
    });
  }
  return repairs;
}

/**
 * All checks share one snapshot, because a refund between two checks would look like a difference.
 * PostgreSQL uses no parallel workers, because the service needs the cores.
 */
export async function reconcile(
  application: Pick<INestApplicationContext, 'get'>,
  { since, progress }: { since?: number | undefined; progress?: Progress } = {},
): Promise<{ checks: Check[]; isBalanced: boolean }> {
  const first = since === undefined ? FIRST_UUID : firstUuidAt(since);
  const made = async ({ manager }: Transaction) => {
    await manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await manager.query('SET LOCAL statement_timeout = 0');
    await manager.query('SET LOCAL max_parallel_workers_per_gather = 0');
    const checks: Check[] = [];
    const { invariants } = declarationsOf();
    const counts = new Map<Invariant, number>();
    for (const invariant of invariants)
      counts.set(invariant, await countOf(manager, first, invariant));
    progress?.begin(
      'Checking rows',
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    );
    for (const [invariant, checked] of counts) {
      progress?.name(invariant.name);
      const offenders = await offendersOf(manager, first, invariant);
      checks.push({ promise: invariant.name, checked, offenders });
      progress?.add(checked);
    }
    return checks;
  };
  const database = application.get(Database);
  const checks = await application
    .get(Units)
    .commit({ queue: 'reconcile' }, (unit) => database.inTransaction(unit, made));
  return { checks, isBalanced: checks.every(({ offenders }) => offenders.length === 0) };
}

async function countOf(
  manager: Transaction['manager'],
  first: string,
  { balances }: Invariant,
): Promise<number> {
  const [found]: [{ count: number }] = await manager.query(
    `/* every organization: the books of all must balance */
    SELECT count(*) AS count FROM ${balances} balances WHERE balances.id >= $1`,
    [first],
  );
  return found.count;
}

/** Returns the IDs of the first rows that break the promise. */
async function offendersOf(
  manager: Transaction['manager'],
  first: string,
  { id: kind, balances, joined = '', broken }: Invariant,
): Promise<string[]> {
  const rows: { id: string; mode: Mode }[] = await manager.query(
    `/* every organization: the books of all must balance */
    SELECT balances.id, balances.mode FROM ${balances} balances ${joined}
    WHERE balances.id >= $1 AND (${broken}) ORDER BY balances.id LIMIT ${MAX_OFFENDERS}`,
    [first],
  );
  return rows.map(({ id, mode }) => idOf(kind, id, mode));
}
