import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ExpirySweeper } from '../../src/modules/checkout/adapters/schedule/expiry-sweeper.js';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { get, post, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { capture, createLedgerKey, createTenant, type Tenant } from '../support/service.js';
import { useService } from '../support/setup.js';

const clock = new TestClock();
const service = useService({ clock });
let tenant: Tenant;
let ledger: string;

beforeAll(async () => {
  ledger = await createLedgerKey(service);
});

beforeEach(async () => {
  tenant = await createTenant(service);
});

const url = (path: string) => `${service.url}${path}`;
const read = (path: string, key = tenant.test) => get(url(path), { key });
const send = (path: string, body: unknown, key = tenant.test) => post(url(path), { key, body });

async function eventsOf(object: string) {
  return (await read(`/v1/events?object=${object}&order=asc`)).body.data;
}

function event(type: string, sequence: number, object: unknown) {
  return {
    id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    object: 'event',
    type,
    mode: 'test',
    created: expect.any(Number),
    sequence,
    data: { object, reason: null },
  };
}

describe('every change has its event, which shows what the API shows', () => {
  test('a session that is paid', async () => {
    const body = { ...SMALLEST, metadata: { order: '7', ü: '"\\' }, notify_url: null };
    const created = (await send('/v1/checkout_sessions', body)).body;
    await capture(service, tenant, { amount: 1000, session: created.id });
    const paid = (await read(`/v1/checkout_sessions/${created.id}`)).body;
    expect(paid.status).toBe('complete');
    expect(await eventsOf(created.id)).toEqual([
      event('checkout.session.created', 1, created),
      event('checkout.session.completed', 2, paid),
    ]);
  });

  test('sessions that expire at their expires_at', async () => {
    const one = (await send('/v1/checkout_sessions', SMALLEST)).body;
    const other = (await send('/v1/checkout_sessions', { ...SMALLEST, notify_url: 'https://example.test/' })).body;
    await service.sql.query(`UPDATE checkout_sessions SET expires_at = now() - interval '1 second'`);
    await service.application.get(ExpirySweeper).sweep();
    for (const { id } of [one, other]) {
      const expired = (await read(`/v1/checkout_sessions/${id}`)).body;
      expect((await eventsOf(id)).slice(1)).toEqual([event('checkout.session.expired', 2, expired)]);
    }
    const { rows } = await service.sql.query(
      `SELECT receiver, count(*)::int FROM webhook_deliveries WHERE url = 'https://example.test/' GROUP BY receiver`,
    );
    expect(rows).toEqual([{ receiver: 'example.test', count: 2 }]);
  });
});

test('refused, replayed and concurrent requests leave one event for each change', async () => {
  const headers = { 'idempotency-key': 'the-same' };
  const create = () =>
    post(url('/v1/checkout_sessions'), { key: tenant.test, body: SMALLEST, headers, idempotencyKey: undefined });
  const created = await Promise.all([create(), create(), create()]);
  const { id } = created[0]?.body ?? {};
  await Promise.all([1, 2, 3, 4].map(() => send(`/v1/checkout_sessions/${id}/expire`, {})));
  const payment = await capture(service, tenant, { amount: 1000 });
  const refunds = await Promise.all([1, 2, 3, 4, 5].map(() => send('/v1/refunds', { payment, amount: 400 })));
  const made = refunds.filter(({ status }) => status === 201);
  expect(made).toHaveLength(2);
  await Promise.all(
    made.flatMap(({ body }) => [
      send(`/v1/refunds/${body.id}/cancel`, {}),
      send(`/ledger/v1/refunds/${body.id}/succeed`, {}, ledger),
    ]),
  );
  const { data } = (await read('/v1/events?limit=100')).body;
  const sequences = Map.groupBy(
    data as { sequence: number; data: { object: { id: string } } }[],
    (one) => one.data.object.id,
  );
  expect([...sequences.values()].map((events) => events.map(({ sequence }) => sequence))).toEqual([
    [2, 1],
    [2, 1],
    [1],
    [2, 1],
  ]);
});

test('the database refuses a second event for the same step', async () => {
  const { id } = (await send('/v1/checkout_sessions', SMALLEST)).body;
  await send(`/v1/checkout_sessions/${id}/expire`, {});
  const again = `INSERT INTO events SELECT organization_id, mode, gen_random_uuid(), type, object_id, sequence, data
    FROM events ORDER BY id DESC LIMIT 1`;
  await expect(service.sql.query(again)).rejects.toMatchObject({ constraint: 'events_sequence_key' });
});

test('keeps events for 90 days and then removes them with their deliveries', async () => {
  const body = { ...SMALLEST, notify_url: 'https://example.test/old' };
  const old = (await send('/v1/checkout_sessions', body)).body.id;
  await service.sql.query(`INSERT INTO webhook_attempts
    SELECT organization_id, mode, event_id, 9, now(), 500, NULL, 1, NULL FROM webhook_deliveries WHERE url LIKE '%/old'`);
  clock.advance(89 * 86_400_000);
  await service.application.get(EventSweeper).sweep();
  expect(await eventsOf(old)).toHaveLength(1);
  const young = (await send('/v1/checkout_sessions', body)).body.id;
  clock.advance(2 * 86_400_000);
  await service.application.get(EventSweeper).sweep();
  expect([await eventsOf(old), await eventsOf(young)]).toEqual([[], [expect.anything()]]);
  const { rows } = await service.sql.query(`SELECT
    (SELECT count(*)::int FROM webhook_deliveries WHERE url LIKE '%/old') AS deliveries,
    (SELECT count(*)::int FROM webhook_attempts WHERE attempt = 9) AS attempts`);
  expect(rows).toEqual([{ deliveries: 1, attempts: 0 }]);
});
