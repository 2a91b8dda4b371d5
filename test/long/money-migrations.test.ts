/**
 * The migrations that brought claims, holds and payments that do not fit, forward and back on tables with rows, while the version
 * before writes: no table is rewritten, and writers wait for no longer than they did. MIGRATED_ROWS says how many rows.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migrate, revertLast } from '../../src/migrate/migrate.js';
import { createDatabase, withClient } from '../support/postgres.js';

const ROWS = Number(process.env.MIGRATED_ROWS ?? 20_000);
const FIRST = 'MoneyColumns1763700000013';
/** A migration may keep a writer waiting for so long. */
const LONGEST_WAIT_MS = 2_000;
const TABLES = ['checkout_sessions', 'payments', 'refunds', 'events'];

let database: Awaited<ReturnType<typeof createDatabase>>;
let sql: Client;

beforeAll(async () => {
  database = await createDatabase();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  await revert();
  await sql.query(`
    CREATE TABLE made AS SELECT number, gen_random_uuid() AS organization_id, uuidv7() AS payment_id
      FROM generate_series(1, ${ROWS}) AS number;
    INSERT INTO payments (organization_id, mode, id, amount, amount_refunded, amount_pending_refund, currency)
      SELECT organization_id, 'test', payment_id, 5000, 0, 500, 'usd' FROM made;
    INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status)
      SELECT organization_id, 'test', uuidv7(), payment_id, 500, 'usd', 'pending' FROM made`);
  await sql.query('VACUUM ANALYZE payments, refunds');
});

afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** To the version before. */
async function revert(): Promise<void> {
  while ((await revertLast(database.url)) !== FIRST);
}

/** The migrations that were applied. */
async function applied(): Promise<unknown> {
  return (await sql.query('SELECT name FROM migrations ORDER BY id')).rows;
}

/** Which files the tables are in: a table that is rewritten gets another one. */
async function files(): Promise<unknown> {
  const { rows } = await sql.query('SELECT relname, relfilenode FROM pg_class WHERE relname = ANY ($1) ORDER BY 1', [
    TABLES,
  ]);
  return rows;
}

/** Refunds as the version before proposes them, until `stop`. Returns the milliseconds of the slowest. */
async function propose(stop: AbortSignal): Promise<number> {
  return withClient(database.url, async (client) => {
    let longest = 0;
    while (!stop.aborted) {
      const number = 1 + Math.floor(Math.random() * ROWS);
      const started = performance.now();
      await client.query(
        `WITH payment AS (
          UPDATE payments SET amount_pending_refund = amount_pending_refund + 1
          WHERE (organization_id, id) = (SELECT organization_id, payment_id FROM made WHERE number = $1) AND mode = 'test'
          RETURNING organization_id, id)
        INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status)
          SELECT organization_id, 'test', uuidv7(), id, 1, 'usd', 'pending' FROM payment`,
        [number],
      );
      longest = Math.max(longest, performance.now() - started);
    }
    return longest;
  });
}

test.each([
  ['forward', () => migrate(database.url)],
  ['back', revert],
  ['forward again', () => migrate(database.url)],
])('%s', async (way, move) => {
  const before = await files();
  const stop = new AbortController();
  const writing = Promise.all([propose(stop.signal), propose(stop.signal)]);
  const started = performance.now();
  await Promise.resolve(move()).finally(() => stop.abort());
  const longest = Math.max(...(await writing));
  process.stdout.write(
    `${way} with ${ROWS} rows: ${Math.round(performance.now() - started)} ms, a writer waited ${Math.round(longest)} ms at most\n`,
  );
  expect(longest).toBeLessThan(LONGEST_WAIT_MS);
  expect(await files()).toEqual(before);
});

test('where a transaction keeps a lock, it gives up instead of making others wait, and is run again', async () => {
  await revert();
  const before = await applied();
  await withClient(database.url, async (other) => {
    await other.query('BEGIN');
    await other.query('SELECT FROM payments LIMIT 1');
    await expect(migrate(database.url)).rejects.toThrow('canceling statement due to lock timeout');
  });
  expect(await applied()).toEqual(before);
  await migrate(database.url);
});

test('rows from before keep their meaning', async () => {
  const { rows } = await sql.query(`SELECT DISTINCT mismatch, amount_on_hold, version FROM payments`);
  expect(rows).toEqual([{ mismatch: null, amount_on_hold: 0, version: 0 }]);
  const refunds = await sql.query(`SELECT DISTINCT claim_number, claim_expires_at FROM refunds`);
  expect(refunds.rows).toEqual([{ claim_number: 0, claim_expires_at: null }]);
});
