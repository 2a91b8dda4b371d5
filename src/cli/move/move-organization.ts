import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { FIRST_UUID } from '../../shared/id.js';
import { checksOf } from '../reconcile.js';
import { copyRows, deleteRows, RowsChanged, rowsLeft } from './rows.js';
import { prepareTarget, residenceOf } from './target.js';

const ATTEMPTS = 5;

export interface Move {
  readonly organization: string;
  readonly source: string;
  readonly target: string;
  readonly patienceMs: number;
}

export interface Moved {
  readonly moved: Readonly<Record<string, number>>;
  readonly left: Readonly<Record<string, number>>;
}

/**
 * Moves an organization. Its keys answer 503 from before its rows are locked, and on the source from then on. The target
 * prepares its transaction (two-phase commit) before the source commits. After an interruption, call it again. Returns the
 * moved rows of each table, and the rows that a process wrote to the source after the patience had ended.
 */
export async function moveOrganization(move: Move): Promise<Moved> {
  const source = await connected(move.source);
  try {
    const target = await connected(move.target);
    try {
      await prepareTarget(source, target, move.organization);
      const moved = await moveBetween(source, target, move);
      return { moved, left: await rowsLeft(source, move.organization) };
    } finally {
      await target.end();
    }
  } finally {
    await source.end();
  }
}

async function moveBetween(source: Client, target: Client, move: Move): Promise<Record<string, number>> {
  const { organization } = move;
  try {
    await source.query(`UPDATE organizations SET residence = 'leaving' WHERE id = $1 AND residence = 'here'`, [
      organization,
    ]);
    if ((await residenceOf(source, organization)) === 'leaving') await sleep(move.patienceMs);
    return await withoutChanges(() => transfer(source, target, organization));
  } catch (error) {
    await source
      .query(`UPDATE organizations SET residence = 'here' WHERE id = $1 AND residence = 'leaving'`, [organization])
      .catch(() => undefined);
    throw new Error(`The move was given up: ${(error as Error).message} Run the same command again.`, { cause: error });
  }
}

async function withoutChanges<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RowsChanged) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function transfer(source: Client, target: Client, organization: string): Promise<Record<string, number>> {
  const prepared = target.escapeLiteral(`tillgate move ${organization}`);
  let moved: Record<string, number> = {};
  await source.query('BEGIN');
  try {
    const residence = await residenceOf(source, organization, 'FOR UPDATE');
    if (residence === 'here') throw new Error('Another move of it was given up at the same time.');
    // An interrupted move has left a prepared transaction. It is committed if that move's source had committed.
    await finish(target, prepared, residence === 'gone' ? 'COMMIT' : 'ROLLBACK');
    if (residence === 'leaving') moved = await handOver(source, target, organization, prepared);
  } catch (error) {
    await source.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await source.query('COMMIT');
  await finish(target, prepared, 'COMMIT');
  return moved;
}

/** Copies and deletes the rows without committing. The source's transaction locks the organization meanwhile. */
async function handOver(
  source: Client,
  target: Client,
  organization: string,
  prepared: string,
): Promise<Record<string, number>> {
  await assertBalanced(source, organization);
  try {
    await target.query('BEGIN');
    // The organization may have been on the target before.
    await target.query('DELETE FROM api_keys WHERE organization_id = $1', [organization]);
    await target.query(`DELETE FROM organizations WHERE id = $1 AND residence = 'gone'`, [organization]);
    const moved = await copyRows(source, target, organization);
    await target.query(`UPDATE organizations SET residence = 'here' WHERE id = $1`, [organization]);
    await assertBalanced(target, organization);
    await target.query(`PREPARE TRANSACTION ${prepared}`);
    await deleteRows(source, organization, moved);
    await source.query(`UPDATE organizations SET residence = 'gone' WHERE id = $1`, [organization]);
    return moved;
  } catch (error) {
    await target.query('ROLLBACK');
    await finish(target, prepared, 'ROLLBACK');
    throw error;
  }
}

async function finish(target: Client, prepared: string, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  const found = await target.query(
    `SELECT FROM pg_prepared_xacts WHERE gid = ${prepared} AND database = current_database()`,
  );
  if (found.rowCount === 1) await target.query(`${how} PREPARED ${prepared}`);
}

async function assertBalanced(client: Client, organization: string): Promise<void> {
  const query = async (sql: string, values: unknown[]) => (await client.query(sql, values)).rows;
  const checks = await checksOf(query, { first: FIRST_UUID, organization });
  const broken = checks.filter(({ offenders }) => offenders.length > 0);
  if (broken.length > 0) {
    const said = broken.map(({ promise, offenders }) => `${promise}: ${offenders.join(', ')}`).join('; ');
    throw new Error(`The books do not balance: ${said}.`);
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'tillgate move',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  // The role's limits are those of requests. Both sides must use the same formats of dates.
  await client.query(`SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '10s';
    SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'iso_8601'; SET TimeZone = 'UTC'`);
  return client;
}
