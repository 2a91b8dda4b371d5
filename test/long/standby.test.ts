/**
 * After a restore to a point in time and after a failover to a standby, everything that was
 * acknowledged is there, and the books balance.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reconcile } from '../../src/operator/cli/reconcile.js';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { type Service, startService } from '../kit/service.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { withClient } from '../support/postgres.js';
import { commandLine, until } from '../support/processes.js';
import { Shop } from '../support/shop.js';

let primary: OwnPostgres;
let base: OwnPostgres;
let standby: OwnPostgres;
let service: Service;
let shop: Shop;
const ONE_PAYMENT = { promise: 'held <= captured', checked: 1, offenders: [] };
const acknowledged: string[] = [];

beforeAll(async () => {
  primary = await OwnPostgres.start();
  await migrate(primary.url);
  service = await startService({ databaseUrl: primary.url });
  shop = await Shop.open(service);
  base = await primary.copy('base');
  standby = await primary.copy('standby');
  await standby.follow(primary);
});

afterAll(async () => {
  await service.close().catch(() => undefined);
  for (const postgres of [standby, base, primary]) await postgres.stop();
  primary.remove();
});

const one = async (url: string, sql: string) =>
  withClient(url, async (client) => (await client.query(sql)).rows[0].value);

/** Makes a paid session with a pending refund. */
async function sell(): Promise<string> {
  const { body: session } = await shop.createSession();
  const { body: payment } = await shop.record({ amount: 1000, checkout_session: session.id });
  expect((await shop.propose(payment.id, 100)).status).toBe(201);
  acknowledged.push(session.id);
  return session.id;
}

const balanced = ({ application }: Service) => reconcile(application);

test('reconcile reads a standby, and needs nothing else', async () => {
  await sell();
  const written = await one(primary.url, 'SELECT pg_current_wal_lsn() AS value');
  await until(() => one(standby.url, `SELECT pg_last_wal_replay_lsn() >= '${written}' AS value`));
  const environment = { DATABASE_URL: standby.url };
  const { status, stdout, stderr } = await commandLine(['reconcile', '--since', '1d'], environment);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    balanced: true,
    checks: expect.arrayContaining([ONE_PAYMENT]),
  });
});

test('a backup and the archive restore a point in time', async () => {
  const before = await sell();
  const instant = await one(primary.url, 'SELECT clock_timestamp()::text AS value');
  const after = await sell();
  const file = await one(
    primary.url,
    'SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS value',
  );
  await one(primary.url, 'SELECT pg_switch_wal() AS value');
  await until(() =>
    one(primary.url, `SELECT last_archived_wal >= '${file}' AS value FROM pg_stat_archiver`),
  );
  await base.restore(instant);
  const restored = await startService({ databaseUrl: base.url });
  expect(await balanced(restored)).toMatchObject({ isBalanced: true });
  const shopThere = shop.at(restored);
  expect((await shopThere.get(`/v1/checkout_sessions/${before}`)).status).toBe(200);
  expect((await shopThere.get(`/v1/checkout_sessions/${after}`)).status).toBe(404);
  await restored.close();
});

test('a standby takes over with everything that it had received', async () => {
  await sell();
  const written = await one(primary.url, 'SELECT pg_current_wal_lsn() AS value');
  await until(() => one(standby.url, `SELECT pg_last_wal_replay_lsn() >= '${written}' AS value`));
  await primary.stop('SIGQUIT');
  expect(await one(standby.url, 'SELECT pg_promote() AS value')).toBe(true);
  const successor = await startService({ databaseUrl: standby.url });
  const shopThere = shop.at(successor);
  const found = await Promise.all(
    acknowledged.map((session) => shopThere.get(`/v1/checkout_sessions/${session}`)),
  );
  expect(found.map(({ status, body }) => [status, body.payment_status])).toEqual(
    acknowledged.map(() => [200, 'paid']),
  );
  expect((await shopThere.createSession()).status).toBe(201);
  expect(await balanced(successor)).toMatchObject({ isBalanced: true });
  await successor.close();
});
