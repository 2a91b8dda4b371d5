import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { DeliveryQueue } from '../../src/modules/webhooks/application/ports.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { get, post, SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { createDatabase } from '../support/postgres.js';
import { startServer, until } from '../support/processes.js';
import { answer, hang, type Receiver, startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { startSockets } from '../support/sockets.js';
import { attempt, deliver, PATIENT_MS, startWebhooks, TIMEOUT_MS } from '../support/webhooks.js';

const LEASE_MS = 60_000;

const world = useWebhooks();
const shop = useShop(world.service);
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  jest.restoreAllMocks();
  world.network.timeoutMs = PATIENT_MS;
  await receiver.close();
});

/** Starts a process of the built service on the same database. */
const startProcess = (DATABASE_URL: string) =>
  startServer({ DATABASE_URL, WEBHOOK_ALLOW_PRIVATE: 'true' });

test('delivers every event under its ID to every endpoint though a worker is killed meanwhile', async () => {
  const { sql, databaseUrl } = world.service;
  const owner = await Shop.open(world.service);
  const second = await startWebhooks({ databaseUrl });
  const instances = [world, second];
  const looks = instances.map(({ service }) =>
    jest.spyOn(service.application.get(WebhookScheduler), 'poll'),
  );
  for (const look of looks) look.mockResolvedValue();
  const paths = ['/quick', '/slow', '/ledger'];
  for (const path of paths) {
    const [surface, key] =
      path === '/ledger' ? ['/ledger/v1', owner.ledgerKey] : ['/v1', owner.key];
    const body = { url: String(new URL(path, receiver.url)), events: ['checkout.session.created'] };
    expect(
      (await post(`${world.service.url}${surface}/webhook_endpoints`, { key, body })).status,
    ).toBe(201);
  }
  receiver.behave((response, { url }) =>
    url === '/slow' ? undefined : void response.writeHead(204).end(),
  );
  const { child, url } = await startProcess(databaseUrl);
  const create = async () => {
    const { status } = await post(`${url}/v1/checkout_sessions`, {
      key: owner.key,
      body: SMALLEST,
    });
    expect(status).toBe(201);
  };
  const recorded = async () => {
    const text =
      'SELECT FROM webhook_deliveries WHERE organization_id = $1 AND outcome IS NOT NULL';
    return (await sql.query(text, [uuidOf(owner.organization)])).rows.length;
  };
  await create();
  await until(async () => (await recorded()) === 2, 'what was answered is recorded');
  const sent = receiver.received.length;
  await sql.query('ALTER TABLE webhook_attempts ADD CONSTRAINT broken CHECK (false) NOT VALID');
  for (let at = 0; at < 3; at++) await create();
  await until(() => receiver.received.length >= sent + 3, 'more is sent');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await sql.query('ALTER TABLE webhook_attempts DROP CONSTRAINT broken');
  for (const look of looks) look.mockRestore();
  receiver.behave(answer(204));
  // The clock moves far past the lease, because a busy machine may begin it late.
  for (const { clock } of instances) clock.advance(10 * LEASE_MS);
  const { data } = (await get(`${world.service.url}/v1/events`, { key: owner.key })).body;
  const ids = data.map(({ id }: { id: string }) => id).toSorted();
  expect(ids).toHaveLength(4);
  const arrived = (path: string) => receiver.received.filter((one) => one.path === path);
  await until(async () => {
    await Promise.all(instances.map(({ service }) => deliver(service)));
    return paths.every((path) => new Set(arrived(path).map(({ id }) => id)).size === ids.length);
  }, 'every event is delivered');
  for (const path of paths) {
    expect([...new Set(arrived(path).map(({ id }) => id))].toSorted()).toEqual(ids);
    expect(new Set(arrived(path).map(({ text }) => text)).size).toBe(ids.length);
    // An attempt that was recorded in time is not repeated.
    if (path !== '/slow') expect(arrived(path).filter(({ id }) => id === ids[0])).toHaveLength(1);
  }
  await sql.query('DELETE FROM ledger_webhook_endpoints');
  await second.service.close();
});

test('lets one of two instances claim a delivery that both find due at once', async () => {
  const second = await startWebhooks({ databaseUrl: world.service.databaseUrl });
  receiver.behave(answer(500));
  for (let at = 0; at < 20; at++) await shop.notified(receiver.url);
  await world.service.application.get(WebhookScheduler).idle();
  // The time is so far ahead that no worker but this test finds the deliveries due.
  const [then, later] = [Date.UTC(2100, 0, 1), Date.UTC(2100, 0, 2)];
  await world.service.sql.query(
    `UPDATE webhook_deliveries SET next_attempt_at = $1 WHERE outcome IS NULL`,
    [new Date(then)],
  );
  const instances = [world, second, world, second].map(({ service }) =>
    service.application.get(DeliveryQueue),
  );
  const { organization } = shop.tenant;
  const looked = await Promise.all(
    instances.map((deliveries) => deliveries.due(organization, undefined, then)),
  );
  const claimed = await Promise.all(
    instances.map((deliveries, at) => {
      const shares = (looked[at]?.found ?? []).map((due) => ({ due, take: 100 }));
      return deliveries.claim(organization, shares, then, later);
    }),
  );
  expect(looked.map(({ found }) => found.length)).toEqual([1, 1, 1, 1]);
  const events = claimed.flat().map(({ event }) => event.id);
  expect([events.length, new Set(events).size]).toEqual([20, 20]);
  const { rows } = await world.service.sql.query(
    'SELECT FROM webhook_deliveries WHERE next_attempt_at = $1',
    [new Date(later)],
  );
  expect(rows).toHaveLength(20);
  await second.service.close();
  await world.service.sql.query('DELETE FROM webhook_deliveries');
});

test('records the attempt of a worker that comes back after its lease, and decides nothing by it', async () => {
  world.network.timeoutMs = TIMEOUT_MS;
  receiver.behave(hang);
  const { event } = await shop.notified(receiver.url);
  const late = deliver(world.service);
  await until(() => receiver.received.length === 1, 'the attempt has begun');
  // The attempt number moves on, as if another instance had claimed the delivery after the lease.
  await world.service.sql.query(`UPDATE webhook_deliveries SET attempts = 2, next_attempt_at = 'infinity'
    WHERE outcome IS NULL`);
  await late;
  const deliveries = await shop.deliveriesOf(event);
  expect(deliveries).toHaveLength(1);
  const { rows } = await world.service.sql.query(
    `SELECT attempts, next_attempt_at FROM webhook_deliveries WHERE outcome IS NULL`,
  );
  expect(rows).toEqual([{ attempts: 2, next_attempt_at: Number.POSITIVE_INFINITY }]);
});

test('gives the attempts of a process that ends their time, and reports it as not ready', async () => {
  receiver.behave(hang);
  jest.spyOn(world.service.application.get(WebhookScheduler), 'poll').mockResolvedValue();
  const { child, url } = await startProcess(world.service.databaseUrl);
  await shop.at({ url }).notified(receiver.url);
  await until(() => receiver.received.length === 1, 'the process delivers');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  let ready = await get(`${url}/readyz`, {});
  while (ready.status === 200) ready = await get(`${url}/readyz`, {});
  expectError(ready, {
    status: 503,
    code: 'service_unavailable',
    nextStep: { type: 'retry', path: '/readyz', method: 'GET' },
  });
  expect(await exit).toEqual([0, null]);
});

test('repeats an attempt that cannot be recorded when its lease ends', async () => {
  // The constraint comes before the session, because the service delivers as soon as the event is
  // recorded.
  await world.service.sql.query(
    'ALTER TABLE webhook_attempts ADD CONSTRAINT broken CHECK (false) NOT VALID',
  );
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  await world.service.sql.query('ALTER TABLE webhook_attempts DROP CONSTRAINT broken');
  expect(await shop.deliveriesOf(event)).toEqual([]);
  // Nobody can tell a dead worker from a slow one before its lease ends.
  await deliver(world.service);
  expect(receiver.received).toHaveLength(1);
  world.clock.advance(LEASE_MS);
  await deliver(world.service);
  expect(receiver.received.map(({ id }) => id)).toEqual([event, event]);
});

test('lets no other event wait for receivers that hang, in the same organization or another', async () => {
  world.network.timeoutMs = TIMEOUT_MS;
  const silent = await Promise.all(Array.from({ length: 200 }, () => startSockets()));
  const connected = () => silent.reduce((sum, { sockets }) => sum + sockets.length, 0);
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  // Each receiver gets more deliveries than it may have at once.
  await world.service.sql.query(
    `WITH made AS (
        INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
        SELECT organization_id, mode, gen_random_uuid(), 'http://' || host || '/', host, 0, $3
        FROM webhook_deliveries CROSS JOIN unnest($1::text[]) AS host CROSS JOIN generate_series(1, 8)
        WHERE event_id = $2 RETURNING *)
      INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
        SELECT organization_id, mode, event_id, 'refund.created', gen_random_uuid(), 1, '{}' FROM made`,
    [silent.map(({ host }) => host), uuidOf(event), new Date(world.clock.now() - 1_000)],
  );
  const delivering = deliver(world.service);
  await until(() => connected() > 500, 'the hosts are being tried');
  const [same, other] = [await startReceiver(), await startReceiver()];
  await shop.notified(same.url);
  await (await Shop.open(world.service, shop)).notified(other.url);
  await until(
    () => same.received.length === 1 && other.received.length === 1,
    'the others get their webhooks',
  );
  expect(connected()).toBeLessThan(1_600);
  await world.service.sql.query('DELETE FROM webhook_deliveries WHERE outcome IS NULL');
  for (const { close } of silent) close();
  await delivering;
  await Promise.all([same.close(), other.close()]);
});

test('sends a receiver that answers many events at once, but no more than sixteen', async () => {
  const STRANGERS_MOST = 4;
  await shop.notified(receiver.url);
  await deliver(world.service);
  const held: ServerResponse[] = [];
  receiver.behave((response) => void held.push(response));
  for (let at = 0; at < 60; at++) await shop.notified(receiver.url);
  await until(() => held.length > STRANGERS_MOST, 'more events than a new receiver gets are open');
  receiver.behave((response) => void setTimeout(() => response.end(), 20));
  for (const response of held) response.end();
  await deliver(world.service);
  expect(receiver.received).toHaveLength(61);
  expect(Math.max(...receiver.received.map(({ open }) => open))).toBeLessThanOrEqual(16);
});

test('lets receivers finish when an instance stops, and delivers nothing twice', async () => {
  const database = await createDatabase();
  const stopping = await startWebhooks({ databaseUrl: database.url });
  const owner = await Shop.open(stopping.service);
  receiver.behave((response) => void setTimeout(() => response.writeHead(200).end(), 100));
  const { event } = await owner.notified(receiver.url);
  deliver(stopping.service);
  await until(() => receiver.received.length === 1, 'an attempt has begun');
  await stopping.service.close();
  const next = await startWebhooks({ databaseUrl: database.url });
  expect(await owner.at(next.service).deliveriesOf(event)).toEqual([attempt(1, 200, null, true)]);
  await deliver(next.service);
  expect(receiver.received).toHaveLength(1);
  await next.service.close();
  await database.drop();
});
