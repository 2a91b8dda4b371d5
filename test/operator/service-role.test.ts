/**
 * These tests run the statements of docs/operate/postgresql.md as they are written: who migrates,
 * who serves, and what each role may do.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { MIGRATIONS } from '../../src/persistence/data-source.js';
import { SMALLEST, send } from '../support/client.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { withClient } from '../support/postgres.js';
import { openAccount, type Server, startServer, tillgate } from '../support/processes.js';
import { startPooler } from '../support/sockets.js';

const PAGE = readFileSync('docs/operate/postgresql.md', 'utf8');
const [MAKE = '', GRANT = '', REPAIR = ''] = [...PAGE.matchAll(/```sql\n(.*?)```/gs)].map(
  ([, sql]) => sql ?? '',
);

let postgres: OwnPostgres;
let server: Server;

function urlOf(user: string): string {
  const url = new URL(postgres.url);
  const password = user === 'tillgate' ? 'service-password' : 'owner-password';
  return Object.assign(url, { username: user, password, pathname: '/tillgate' }).href;
}

const as = (url: string, sql: string) =>
  withClient(url, async (client) => (await client.query(sql)).rows);

/** Who may do what with the trail, besides its owner. */
const TRAIL_RIGHTS = [{ grantee: 'tillgate', rights: ['INSERT', 'SELECT'] }];
const rightsOnTrail = () =>
  as(
    urlOf('tillgate_owner'),
    `SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee,
       array_agg(privilege_type ORDER BY privilege_type) AS rights
     FROM pg_class, aclexplode(relacl)
     WHERE oid = 'operator_events'::regclass AND grantee <> relowner GROUP BY 1 ORDER BY 1`,
  );

beforeAll(async () => {
  // The superuser has another name, because the service uses the usual one.
  postgres = await OwnPostgres.start([], 'admin');
  for (const statement of MAKE.split(';\n').filter(Boolean)) await as(postgres.url, statement);
  await as(urlOf('tillgate_owner'), GRANT);
});

afterAll(async () => {
  await server.stop();
  await postgres.stop();
  postgres.remove();
});

test('the owner migrates, and through a pooler prints the statements that need an administrator', async () => {
  const migrateBy = (url: string, ...options: string[]) => tillgate(url, ['migrate', ...options]);
  const applied = MIGRATIONS.map(({ name }) => name);
  expect(await migrateBy(urlOf('tillgate_owner'), '--service-role', 'tillgate')).toEqual({
    applied,
  });
  const pooler = await startPooler(urlOf('tillgate_owner'), () => ({
    toServer: (message) => message,
  }));
  expect(await migrateBy(pooler.url, '--service-role', 'tillgate')).toEqual({
    applied: [],
    not_permitted: expect.arrayContaining([
      `ALTER ROLE tillgate IN DATABASE tillgate SET statement_timeout = '5s';`,
    ]),
  });
  pooler.close();
  expect(await as(urlOf('tillgate'), 'SHOW statement_timeout')).toEqual([
    { statement_timeout: '0' },
  ]);
  expect(await migrateBy(urlOf('tillgate'))).toEqual({ applied: [] });
  expect(await as(urlOf('tillgate'), 'SHOW statement_timeout')).toEqual([
    { statement_timeout: '5s' },
  ]);
});

test('the role of the service can serve and run its commands', async () => {
  const DATABASE_URL = urlOf('tillgate');
  const { key } = await openAccount(DATABASE_URL, 'Shop');
  server = await startServer({ DATABASE_URL });
  const post = (path: string, body: object) =>
    send('POST', server.url + path, { key, body, idempotencyKey: path });
  const session = await post('/v1/checkout_sessions', SMALLEST);
  const payment = await post(`/v1/test_helpers/checkout_sessions/${session.body.id}/pay`, {});
  const refund = await post('/v1/refunds', { payment: payment.body.id, amount: 1000 });
  expect([session.status, payment.status, refund.status]).toEqual([201, 200, 201]);
  expect(await tillgate(DATABASE_URL, ['doctor'])).toMatchObject({ healthy: true });
  expect(await tillgate(DATABASE_URL, ['reconcile'])).toMatchObject({ balanced: true });
});

test.each([
  'CREATE TABLE mine ()',
  'CREATE TEMPORARY TABLE mine ()',
  'TRUNCATE refunds',
  'DROP TABLE refunds',
  'ALTER TABLE refunds DISABLE TRIGGER ALL',
  'CREATE SCHEMA mine',
  `UPDATE operator_events SET holder = 'nobody'`,
  'DELETE FROM operator_events',
  'TRUNCATE operator_events',
  `SELECT FROM operator_events FOR UPDATE`,
])('the role of the service cannot run %s', async (sql) => {
  await expect(as(urlOf('tillgate'), sql)).rejects.toMatchObject({ code: '42501' });
});

test('the role of the service adds to the trail, which nobody but the owner can change', async () => {
  const trail = 'SELECT type, via FROM operator_events ORDER BY position DESC LIMIT 1';
  await tillgate(urlOf('tillgate'), ['org', 'create', 'Bakery']);
  expect(await as(urlOf('tillgate'), trail)).toEqual([
    { type: 'organization.created', via: 'command_line' },
  ]);
});

test.each([
  'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tillgate',
  'GRANT TRUNCATE ON operator_events TO PUBLIC',
])('a migration takes the trail back from others after %s', async (grant) => {
  await as(urlOf('tillgate_owner'), grant);
  expect(await migrate(urlOf('tillgate'))).toEqual([]);
  expect(await rightsOnTrail()).not.toEqual(TRAIL_RIGHTS);
  expect(await migrate(urlOf('tillgate_owner'))).toEqual([]);
  expect(await rightsOnTrail()).toEqual(TRAIL_RIGHTS);
});

test('another role cannot connect', async () => {
  await as(postgres.url, `CREATE ROLE other LOGIN PASSWORD 'owner-password'`);
  await expect(as(urlOf('other'), 'SELECT')).rejects.toMatchObject({ code: '42501' });
});

const RIGHTS = `SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relacl IS NOT NULL ORDER BY 1`;

test('the grants for existing tables give the same rights as the migration', async () => {
  const before = await as(postgres.url.replace(/\/postgres\?/, '/tillgate?'), RIGHTS);
  expect(before.length).toBeGreaterThan(20);
  await as(urlOf('tillgate_owner'), 'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM tillgate');
  await as(urlOf('tillgate_owner'), 'REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM tillgate');
  await as(urlOf('tillgate_owner'), REPAIR);
  expect(await as(postgres.url.replace(/\/postgres\?/, '/tillgate?'), RIGHTS)).toEqual(before);
});
