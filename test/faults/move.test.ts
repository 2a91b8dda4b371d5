/** An organization moves to another database: under load, ended in the middle, and refused. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { moveOrganization } from '../../src/cli/move/move-organization.js';
import { deleteRows, rowsLeft } from '../../src/cli/move/rows.js';
import { reconcile } from '../../src/cli/reconcile.js';
import { revertLast } from '../../src/migrate/migrate.js';
import { Database } from '../../src/platform/database/database.js';
import { uuidOf } from '../../src/shared/id.js';
import { post, SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { run, until } from '../support/processes.js';
import { createLedgerKey, type Service, startService } from '../support/service.js';
import { Shop } from '../support/shop.js';

const PAUSE_MS = 50;
/** Longer than a process remembers a key. */
const PATIENCE_MS = 5_000;

let source: Service;
let target: Awaited<ReturnType<typeof createDatabase>>;
let successor: Service;
let neighbour: Shop;

beforeAll(async () => {
  source = await startService();
  target = await createDatabase();
  neighbour = await Shop.open(source);
  successor = await startService({ databaseUrl: target.url });
});

afterAll(async () => {
  await source.close();
  await successor.close();
  await target.drop();
});

const command = (shop: Shop, ...options: string[]) =>
  run(['dist/src/cli/cli.js', 'org', 'move', shop.organization, ...options], {
    DATABASE_URL: source.databaseUrl,
    TARGET_DATABASE_URL: target.url,
  });
const move = (shop: Shop, to = target.url) =>
  moveOrganization({ organization: uuidOf(shop.organization), source: source.databaseUrl, target: to, patienceMs: 0 });
const balanced = async ({ application }: Service) => (await reconcile(application.get(Database))).isBalanced;
const residence = async (shop: Shop, url = source.databaseUrl) => {
  const sql = 'SELECT residence FROM organizations WHERE id = $1';
  return withClient(url, async (client) => (await client.query(sql, [uuidOf(shop.organization)])).rows[0]?.residence);
};
const isPrepared = () =>
  withClient(target.url, async (client) => {
    const sql = 'SELECT FROM pg_prepared_xacts WHERE database = current_database()';
    return (await client.query(sql)).rowCount === 1;
  });

/** A row in each table that an organization can have rows in. */
async function furnish(shop: Shop): Promise<{ payment: string; refund: string; endpoint: string }> {
  const [paid, expired] = [(await shop.createSession()).body.id, (await shop.createSession()).body.id];
  const { body } = await shop.record({ amount: 1000, checkout_session: paid });
  const refund = (await shop.propose(body.id, 300)).body.id;
  await shop.succeed((await shop.propose(body.id, 200)).body.id);
  await shop.hold(body.id, { amount: 100 });
  await shop.expire(expired);
  const endpoint = await shop.post('/v1/webhook_endpoints', { url: 'https://shop.example/hooks', events: ['*'] });
  expect(endpoint.status).toBe(201);
  return { payment: body.id, refund, endpoint: endpoint.body.id };
}

interface Tried {
  readonly key: string;
  readonly status: number;
  readonly id: string | undefined;
}

/** Creates sessions until told to stop. Each is tried once. */
async function create(shop: Shop, stop: AbortSignal): Promise<Tried[]> {
  const tried: Tried[] = [];
  while (!stop.aborted) {
    const key = randomUUID();
    const { status, body } = await shop.post('/v1/checkout_sessions', SMALLEST, key);
    tried.push({ key, status, id: body.id });
    await sleep(PAUSE_MS);
  }
  return tried;
}

test('under load nothing is lost, and nobody else notices', async () => {
  const shop = await Shop.open(source);
  const { payment, refund } = await furnish(shop);
  const there = shop.at(successor);
  const stop = new AbortController();
  const load = Promise.all([create(shop, stop.signal), create(shop, stop.signal), create(neighbour, stop.signal)]);
  const { status, stdout, stderr } = await command(shop, '--patience', `${PATIENCE_MS / 1000}s`).ended;
  stop.abort();
  const [one, two, others] = await load;
  const tried = [...one, ...two];
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const created = tried.filter((each) => each.status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(tried.map((each) => each.status))).toEqual(new Set([201, 503]));
  expect(new Set(others.map((each) => each.status))).toEqual(new Set([201]));
  const { moved, left } = JSON.parse(stdout);
  expect(left).toEqual({});
  expect(moved).toMatchObject({ organizations: 1, checkout_sessions: created.length + 2, payments: 1, refunds: 2 });
  // Every retry at the new place is the stored answer of the old one, or the first.
  for (const { key, status, id } of tried) {
    const again = await there.post('/v1/checkout_sessions', SMALLEST, key);
    expect({ status: again.status, isReplay: again.body.id === id }).toEqual({ status: 201, isReplay: status === 201 });
  }
  // The ledger has a key for each database.
  const key = await createLedgerKey(successor);
  const succeeded = await post(`${successor.url}/ledger/v1/refunds/${refund}/succeed`, { key, idempotencyKey: refund });
  expect(succeeded.status).toBe(200);
  expect((await there.get(`/v1/payments/${payment}`)).body).toMatchObject({ amount_refunded: 500 });
  expect([await balanced(source), await balanced(successor)]).toEqual([true, true]);
});

test('here it is away: for its keys, and for the ledger', async () => {
  const shop = await Shop.open(source);
  const { refund } = await furnish(shop);
  await move(shop);
  const fresh = await startService({ databaseUrl: source.databaseUrl });
  const here = shop.at(fresh);
  const retry = (path: string) => ({ type: 'retry', path, method: 'POST' });
  expectError(await here.createSession(), {
    status: 503,
    code: 'service_unavailable',
    nextStep: retry('/v1/checkout_sessions'),
  });
  expectError(await here.record(), {
    status: 503,
    code: 'service_unavailable',
    nextStep: retry('/ledger/v1/payments'),
  });
  expect((await here.succeed(refund)).status).toBe(404);
  await fresh.close();
  const endpoints = await shop.at(successor).get('/v1/webhook_endpoints');
  expect(endpoints.body.data).toMatchObject([{ url: 'https://shop.example/hooks' }]);
});

/** Kills the command between the target's preparation and the source's deletion, which waits for a lock. */
async function killPrepared(shop: Shop): Promise<void> {
  await withClient(source.databaseUrl, async (client) => {
    await client.query('BEGIN; LOCK TABLE idempotency_keys IN SHARE MODE');
    const { child, ended } = command(shop, '--patience', '0s');
    await until(isPrepared);
    child.kill('SIGKILL');
    await ended;
    await client.query('ROLLBACK');
  });
  const working = `SELECT FROM pg_stat_activity WHERE application_name = 'tillgate move'`;
  await until(async () => (await source.sql.query(working)).rowCount === 0);
}

test('killed before it has moved, it moves the next time', async () => {
  const shop = await Shop.open(source);
  await furnish(shop);
  await killPrepared(shop);
  expect(await residence(shop)).toBe('leaving');
  const { moved } = await move(shop);
  expect(moved).toMatchObject({ organizations: 1, api_keys: 2, checkout_sessions: 2, payments: 1, refunds: 2 });
  expect([await residence(shop), await residence(shop, target.url), await isPrepared()]).toEqual([
    'gone',
    'here',
    false,
  ]);
  expect(await move(shop)).toEqual({ moved: {}, left: {} });
});

test('killed after it has moved, it finishes the next time', async () => {
  const shop = await Shop.open(source);
  const { payment } = await furnish(shop);
  await killPrepared(shop);
  // What the killed command would have done next.
  const organization = uuidOf(shop.organization);
  await deleteRows(source.sql, organization, await rowsLeft(source.sql, organization));
  await source.sql.query(`UPDATE organizations SET residence = 'gone' WHERE id = $1`, [organization]);
  expect(await move(shop)).toEqual({ moved: {}, left: {} });
  expect([await residence(shop, target.url), await isPrepared()]).toEqual(['here', false]);
  expect((await shop.at(successor).get(`/v1/payments/${payment}`)).status).toBe(200);
});

test('what is written while rows are copied moves too', async () => {
  const shop = await Shop.open(source);
  await furnish(shop);
  const { body: open } = await shop.createSession();
  // Its rows are the first to be deleted.
  await source.sql.query('BEGIN; LOCK TABLE refunds IN SHARE MODE');
  const moving = move(shop);
  await until(isPrepared);
  // This process still remembers the key.
  const session = await shop.createSession();
  expect(session.status).toBe(201);
  // What was copied is locked: a change that is acknowledged now would stay behind.
  expect((await shop.expire(open.id)).status).toBe(503);
  await source.sql.query('ROLLBACK');
  expect(await moving).toMatchObject({ moved: { checkout_sessions: 4 }, left: {} });
  expect((await shop.at(successor).get(`/v1/checkout_sessions/${session.body.id}`)).status).toBe(200);
});

test('it moves back', async () => {
  const shop = await Shop.open(source);
  const { payment } = await furnish(shop);
  await move(shop);
  const back = {
    organization: uuidOf(shop.organization),
    source: target.url,
    target: source.databaseUrl,
    patienceMs: 0,
  };
  expect(await moveOrganization(back)).toMatchObject({ moved: { organizations: 1, payments: 1 }, left: {} });
  expect([await residence(shop), await residence(shop, target.url)]).toEqual(['here', 'gone']);
  const fresh = await startService({ databaseUrl: source.databaseUrl });
  expect((await shop.at(fresh).get(`/v1/payments/${payment}`)).status).toBe(200);
  await fresh.close();
});

test('it is refused, and goes on being served, where it cannot move', async () => {
  const shop = await Shop.open(source);
  const { payment } = await furnish(shop);
  await expect(move(shop, source.databaseUrl)).rejects.toThrow('The target has this organization already.');
  const other = await createDatabase();
  await withClient(other.url, (client) => client.query('UPDATE encryption_keys SET key = sha256(key)'));
  const running = await startService({ databaseUrl: other.url });
  await expect(move(shop, other.url)).rejects.toThrow('The target has secrets of its own');
  await running.close();
  await revertLast(other.url);
  await expect(move(shop, other.url)).rejects.toThrow();
  await other.drop();
  await source.sql.query('UPDATE payments SET amount_refunded = amount_refunded + 1 WHERE id = $1', [uuidOf(payment)]);
  await expect(move(shop)).rejects.toThrow(
    `The books do not balance: held = sum of pending and succeeded refunds: ${payment}`,
  );
  await source.sql.query('UPDATE payments SET amount_refunded = amount_refunded - 1 WHERE id = $1', [uuidOf(payment)]);
  expect(await residence(shop)).toBe('here');
  expect((await shop.createSession()).status).toBe(201);
});

test('a new database takes the secrets over', async () => {
  const shop = await Shop.open(source);
  const { endpoint } = await furnish(shop);
  const cell = await createDatabase();
  await withClient(cell.url, (client) =>
    client.query('UPDATE encryption_keys SET key = sha256(key); UPDATE page_secrets SET secret = sha256(secret)'),
  );
  await move(shop, cell.url);
  const service = await startService({ databaseUrl: cell.url });
  // A stored answer that shows a secret is decrypted.
  expect((await shop.at(service).post(`/v1/webhook_endpoints/${endpoint}/rotate_secret`)).status).toBe(200);
  await service.close();
  await cell.drop();
});
