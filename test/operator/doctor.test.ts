/** The doctor examines databases that have one real fault each. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Finding, fail, ok } from '../../src/operator/cli/doctor/finding.js';
import { type Examination, encrypted, examine, linesOf } from '../../src/operator/cli/doctor.js';
import { limitRole, revertLast } from '../../src/operator/migrate/migrate.js';
import { MIGRATIONS } from '../../src/persistence/data-source.js';
import { readConfig } from '../../src/platform/config.js';
import { Clock } from '../../src/shared/clock.js';
import { createDatabase, serverUrl, urlOf, withClient } from '../support/postgres.js';
import { startPooler } from '../support/sockets.js';

const LAST = MIGRATIONS.at(-1)?.name as string;
const WHOLE = { PUBLIC_URL: 'https://checkout.example', ENCRYPTION_KEY: 'k'.repeat(32) };

let database: Awaited<ReturnType<typeof createDatabase>>;
let name: string;

beforeEach(async () => {
  database = await createDatabase();
  name = new URL(database.url).pathname.slice(1);
});

afterEach(() => database.drop());

const sql = (text: string) =>
  withClient(database.url, async (client) => (await client.query(text)).rows);

/** Returns the findings whose status is not ok. */
async function faults(given: Partial<Examination> & { settings?: Record<string, string> } = {}) {
  const url = given.url ?? database.url;
  const config = readConfig({ DATABASE_URL: url, ...WHOLE, ...given.settings });
  const findings = await examine({ url, config, machines: 1, clock: new Clock(), ...given });
  return findings.filter(({ status }) => status !== 'ok');
}

const fault = (name: string, status: Finding['status'], found: RegExp, advice: RegExp) => ({
  name,
  status,
  found: expect.stringMatching(found),
  advice: expect.stringMatching(advice),
});

test('doctor finds a schema that is behind, ahead or missing', async () => {
  await sql(
    `INSERT INTO migrations (timestamp, name) VALUES (9763700000000, 'Later9763700000000')`,
  );
  expect(await faults()).toEqual([
    fault('schema', 'warn', /migrated the schema: Later9763700000000\.$/, /^Upgrade/),
  ]);
  await sql(`DELETE FROM migrations WHERE name LIKE 'Later%'`);
  await revertLast(database.url);
  expect(await faults()).toEqual([
    fault('schema', 'fail', new RegExp(`: ${LAST} is missing\\.$`), /cli\.js migrate/),
  ]);
  await sql('DROP TABLE migrations');
  expect(await faults()).toEqual([
    fault('schema', 'fail', /Types1790000000001, .* are missing\.$/, /migrate/),
  ]);
});

test('doctor finds a read-only database', async () => {
  await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  expect(await faults()).toEqual([
    fault('writes', 'fail', /read-only/, /RESET default_transaction_read_only/),
  ]);
});

test('doctor finds a database that acknowledges a commit before it has written it', async () => {
  await sql(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  expect(await faults()).toEqual([
    fault('durability', 'fail', /^synchronous_commit off: a crash loses/, /^Switch/),
  ]);
});

test('doctor finds an operator key that nobody uses', async () => {
  const key = (
    id: string,
    kind: string,
    used: string,
  ) => `('${id}', '${kind}', ${kind === 'ledger' ? "'live'" : 'NULL'},
    sha256('${id}'), 'ok_', 'Ada', ${used})`;
  await sql(`INSERT INTO api_keys (id, kind, mode, digest, display, holder, last_used_at) VALUES
    ${key('01700000-0000-7000-8000-000000000001', 'operator', 'NULL')},
    ${key('01700000-0000-7000-8000-000000000002', 'operator', "now() - interval '91 days'")},
    ${key('01700000-0000-7000-8000-000000000003', 'operator', "now() - interval '89 days'")},
    ${key('01700000-0000-7000-8000-000000000004', 'ledger', 'NULL')}`);
  const unused = /^The operator key key_\w{25}[12], held by Ada, was not used for 90 days\.$/;
  const found = fault('operator keys', 'warn', unused, /key revoke/);
  expect(await faults()).toEqual([found, found]);
});

test('doctor reports a check that cannot run, and runs all others', async () => {
  await sql('ALTER TABLE webhook_endpoints RENAME TO lost');
  expect(await faults()).toEqual([
    fault(
      'secrets',
      'fail',
      /^This cannot be checked: relation "webhook_endpoints" does not exist\.$/,
      /^Mend/,
    ),
  ]);
});

test('doctor finds a connection that others can read', () => {
  expect(encrypted({ ssl: false, host: 'db.example' })).toEqual(
    fault(
      'tls',
      'warn',
      /^The connection to db\.example is not encrypted\.$/,
      /sslmode=verify-full/,
    ),
  );
  for (const safe of [
    { ssl: true, host: 'db.example' },
    { ssl: false, host: '127.0.0.1' },
  ]) {
    expect(encrypted(safe).status).toBe('ok');
  }
});

test('doctor finds too few connections', async () => {
  const advice = /^Raise max_connections/;
  expect(await faults({ settings: { DATABASE_POOL_SIZE: '1000' } })).toEqual([
    fault('connections', 'fail', /^1001 connections are needed/, advice),
  ]);
  // Three machines have two processes and one that takes over. Each process has two connections and
  // one to listen.
  await sql(`ALTER DATABASE ${name} CONNECTION LIMIT 26`);
  const settings = { DATABASE_POOL_SIZE: '2', WEB_CONCURRENCY: '2' };
  expect(await faults({ settings, machines: 3 })).toEqual([
    fault('connections', 'fail', /^27 connections .*, 26 are to be had\.$/, advice),
  ]);
  await sql(`ALTER DATABASE ${name} CONNECTION LIMIT 27`);
  expect(await faults({ settings, machines: 3 })).toEqual([
    fault(
      'connections',
      'warn',
      /^27 connections .*, 27 are to be had\. Other programs hold \d+\.$/,
      advice,
    ),
  ]);
});

test('doctor finds an encoding other than UTF-8', async () => {
  const other = `${name}_ascii`;
  const admin = (text: string) => withClient(serverUrl(), (client) => client.query(text));
  await admin(`CREATE DATABASE ${other} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
  try {
    expect(await faults({ url: urlOf(other) })).toEqual([
      fault('encoding', 'fail', /SQL_ASCII/, /ENCODING 'UTF8'/),
      fault('schema', 'fail', /are missing\.$/, /migrate/),
    ]);
  } finally {
    await admin(`DROP DATABASE ${other}`);
  }
});

test('doctor finds a clock that is ahead or behind', async () => {
  const real = new Clock();
  const shifted = (ms: number) =>
    faults({ clock: { now: () => real.now() + ms, monotonic: () => real.monotonic() } });
  expect(await shifted(30_000)).toEqual([
    fault('clock', 'warn', / ahead of PostgreSQL's\.$/, /^Run NTP/),
  ]);
  expect(await shifted(-120_000)).toEqual([
    fault('clock', 'fail', / behind PostgreSQL's\.$/, /^Run NTP/),
  ]);
});

test('doctor finds settings for a first try or for development, and settings that are missing', async () => {
  expect(await faults({ config: readConfig({}) })).toEqual([
    fault('settings', 'warn', /embedded/, /^It is meant for a first try: set DATABASE_URL/),
  ]);
  expect(await faults({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } })).toEqual([
    fault('settings', 'warn', /private addresses/, /unset WEBHOOK_ALLOW_PRIVATE/),
  ]);
  expect(await faults({ settings: { PUBLIC_URL: '', ENCRYPTION_KEY: '' } })).toEqual([
    fault('settings', 'warn', /^PUBLIC_URL is not set/, /customers/),
    fault('settings', 'warn', /^ENCRYPTION_KEY is not set/, /^Set it, and run .*reencrypt`\.$/),
  ]);
});

test('doctor prints a line for each check on a terminal', () => {
  const checks = [ok('node', 'Node is 24.0.0.'), fail('schema', 'It is behind.', 'Migrate it.')];
  expect(linesOf({ healthy: false, checks })).toBe(
    'ok    node          Node is 24.0.0.\nFAIL  schema        It is behind. → Migrate it.\n',
  );
});

test('doctor finds refunds that are claimed again and again', async () => {
  const OLD = '01900000-0000-7000-8000-';
  const insert = (refunds: string) =>
    sql(`SET session_replication_role = replica; INSERT INTO refunds
      (organization_id, payment_id, mode, id, claim_number, amount, currency, status)
      SELECT '${OLD}000000000001', '${OLD}000000000001', refund.mode::mode, refund.id,
        refund.claim_number, 1, 'usd', 'pending' FROM (${refunds})
        AS refund (mode, id, claim_number)`);
  const numbered = (number: string) => `('${OLD}' || lpad((${number})::text, 12, '0'))::uuid`;
  await insert(`VALUES ('live', ${numbered('11')}, 4)`);
  expect(await faults()).toEqual([]);
  await insert(
    `SELECT 'test', ${numbered('30 + number')}, 4 + number FROM generate_series(1, 7) AS number`,
  );
  const claims = [5, 6, 7, 8, 9].map((number) => `re_test_\\w+ \\(claim ${number}\\)`);
  expect(await faults()).toEqual([
    fault(
      'ledger workers',
      'warn',
      new RegExp(`: ${claims.join(', ')} and 2 more\\.$`),
      /^Look up each ID/,
    ),
  ]);
});

test('doctor finds refunds that were paid out without their approval', async () => {
  const id = '01900000-0000-7000-8000-000000000011';
  await sql(`SET session_replication_role = replica; INSERT INTO refunds
    (organization_id, payment_id, mode, id, amount, currency, status, approval, proposed_by, approval_expires_at)
    VALUES ('${id}', '${id}', 'live', '${id}', 1, 'usd', 'succeeded', 'waiting', '{}', now())`);
  expect(await faults()).toEqual([
    fault('approvals', 'warn', /: re_live_\w+\.$/, /^Find the worker/),
  ]);
});

describe('doctor finds', () => {
  /** The pooler may move a client to a server connection that does not know its statements. */
  async function throughPooler(
    keepsStatements: boolean,
    work: (url: string) => Promise<void>,
  ): Promise<void> {
    let isElsewhere = false;
    const renamed = (text: string) =>
      Buffer.from(text.replaceAll('pooler.prepared', 'pooler.elsewher'), 'latin1');
    const toServer = (message: Buffer) => {
      const text = message.toString('latin1');
      isElsewhere ||= !keepsStatements && text.includes('BEGIN');
      return isElsewhere ? renamed(text) : message;
    };
    const pooler = await startPooler(database.url, () => ({ toServer }));
    await work(pooler.url).finally(pooler.close);
  }

  test('server connections of a pooler that have no time limits of a role', async () => {
    await throughPooler(true, async (url) => {
      expect(await faults({ url })).toEqual([
        fault(
          'time limits',
          'warn',
          /lack settings: lock_timeout, statement_timeout, .*, enable_bitmapscan\.$/,
          /^Run `node dist\/bundle\/cli\.js migrate`/,
        ),
      ]);
      await limitRole(database.url);
      expect(await faults({ url })).toEqual([]);
    });
  });

  test('a pooler that forgets prepared statements', async () => {
    await limitRole(database.url);
    await throughPooler(false, async (url) => {
      expect(await faults({ url })).toEqual([
        fault(
          'pooler',
          'fail',
          /prepared statement "pooler\..* does not exist/,
          /^Use PgBouncer 1\.21 or newer/,
        ),
      ]);
    });
  });
});
