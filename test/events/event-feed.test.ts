/**
 * A reader that follows events in ascending order misses none, whenever they are committed, and
 * sees each once.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { PostgresEvents } from '../../src/modules/events/adapters/persistence/postgres-events.js';
import { Events } from '../../src/modules/events/application/ports.js';
import { Database } from '../../src/persistence/database.js';
import { uuidOf } from '../../src/shared/id.js';
import { startService } from '../kit/service.js';
import { useService, useShop } from '../kit/setup.js';
import type { Reply } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { Holder } from '../support/holder.js';

/** This is the earliest ID of all, which would come first in the order of IDs. */
const EARLY = `00000000-0000-7000-8000-${randomUUID().slice(-12)}`;

const clock = new TestClock();
const service = useService({ clock });
const shop = useShop(service);
let outsider: Holder;

beforeEach(async () => {
  outsider = await Holder.connect(service.databaseUrl);
});

afterEach(() => outsider.end());

type Read = (query: string) => Promise<Reply>;
const SURFACES: [string, Read][] = [
  ['/v1/events', (query) => shop.get(`/v1/events?${query}`)],
  [
    '/ledger/v1/events of one',
    (query) => shop.ledgerGet(`/ledger/v1/events?organization=${shop.organization}&${query}`),
  ],
  ['/ledger/v1/events', (query) => shop.ledgerGet(`/ledger/v1/events?${query}`)],
];

const objectsOf = (events: readonly Reply['body'][]): string[] =>
  events.map(({ data }) => data.object.id);

/** Returns the events of all pages from the cursor on, and the cursor after them. */
async function walk(read: Read, query: string, from?: string) {
  const events: Reply['body'][] = [];
  for (let cursor = from; ; ) {
    const { body } = await read(`${query}${cursor ? `&cursor=${cursor}` : ''}`);
    events.push(...body.data);
    expect(body.next_cursor).toBe(
      query.includes('order=asc') || body.has_more ? (body.data.at(-1)?.id ?? null) : null,
    );
    cursor = body.next_cursor ?? cursor;
    if (!body.has_more) return { events, cursor };
  }
}

/** Inserts an event of the resource in a transaction that is not committed yet. */
async function insertEarly(object: string, id = EARLY): Promise<void> {
  await outsider.hold(
    `INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
      SELECT organization_id, mode, $2, type, object_id, sequence + 1, data FROM events WHERE object_id = $1`,
    [uuidOf(object), id],
  );
}

describe.each(SURFACES)('the feed at %s', (_, read) => {
  test('shows an event with an early ID that is committed late after the events that were read before', async () => {
    const first = (await shop.createSession()).body.id;
    const second = (await shop.createSession()).body.id;
    const { cursor } = await walk(read, 'order=asc&limit=100');
    await insertEarly(first);
    const third = (await shop.createSession()).body.id;
    for (const query of ['order=asc', 'order=asc&type=checkout.session.created'])
      expect((await walk(read, query, cursor)).events).toEqual([]);
    expect(objectsOf((await read('limit=1')).body.data)).toEqual([third]);
    await outsider.commit();
    for (const query of [
      'order=asc&limit=1',
      'order=asc',
      'order=asc&limit=1&type=checkout.session.created',
    ])
      expect(objectsOf((await walk(read, query, cursor)).events)).toEqual([first, third]);
    expect(objectsOf((await read('limit=4')).body.data)).toEqual([third, first, second, first]);
    await service.sql.query('DELETE FROM events WHERE id = $1', [EARLY]);
  });

  test('is not delayed by a rollback, nor by a transaction that writes elsewhere', async () => {
    const first = (await shop.createSession()).body.id;
    const { cursor } = await walk(read, 'order=asc&limit=100');
    await insertEarly(first);
    await outsider.release();
    await outsider.hold('UPDATE checkout_sessions SET description = NULL WHERE id = $1', [
      uuidOf(first),
    ]);
    const second = (await shop.createSession()).body.id;
    expect(objectsOf((await walk(read, 'order=asc', cursor)).events)).toEqual([second]);
    await outsider.release();
  });

  test('is delayed by 15 seconds at most by a transaction that writes events', async () => {
    const first = (await shop.createSession()).body.id;
    const { cursor } = await walk(read, 'order=asc&limit=100');
    await insertEarly(first);
    const second = (await shop.createSession()).body.id;
    expect((await walk(read, 'order=asc', cursor)).events).toEqual([]);
    clock.advance(14_999);
    expect((await walk(read, 'order=asc', cursor)).events).toEqual([]);
    clock.advance(1);
    expect(objectsOf((await walk(read, 'order=asc', cursor)).events)).toEqual([second]);
    await outsider.release();
  });

  test('shows events from before there were positions first, in the order of their IDs', async () => {
    await service.sql.query('DELETE FROM events');
    const sessions: string[] = [];
    const create = async () => sessions.push((await shop.createSession()).body.id);
    for (let count = 0; count < 3; count++) await create();
    await service.sql.query('UPDATE events SET position = 0');
    const middle = (await walk(read, 'order=asc&limit=2')).events[1]?.id;
    for (let count = 0; count < 3; count++) await create();
    for (const type of ['', '&type=checkout.session.created']) {
      const walked = async (query: string, from?: string) =>
        objectsOf((await walk(read, `${query}&limit=2${type}`, from)).events);
      expect(await walked('order=asc')).toEqual(sessions);
      expect(await walked('order=asc', middle)).toEqual(sessions.slice(2));
      expect(await walked('order=desc')).toEqual(sessions.toReversed());
      expect(await walked('order=desc', middle)).toEqual(sessions.slice(0, 1));
    }
  });

  test('takes a cursor that names no event as a point in time', async () => {
    const before = (await shop.createSession()).body.id;
    const [gone] = (await walk(read, `object=${before}`)).events;
    const after = (await shop.createSession()).body.id;
    await service.sql.query('DELETE FROM events WHERE id = $1', [uuidOf(gone.id)]);
    expect(objectsOf((await walk(read, 'order=asc', gone.id)).events)).toEqual([after]);
    expect(objectsOf((await walk(read, 'order=desc', gone.id)).events)).not.toContain(after);
  });
});

test('orders events by their IDs on Citus, and shows them after 15 seconds', async () => {
  const cluster = await startService({ databaseUrl: service.databaseUrl, clock });
  Object.assign(cluster.application.get(Database), { isDistributed: true });
  try {
    Object.assign(shop, { url: cluster.url });
    for (const [, read] of SURFACES) {
      const { cursor } = await walk(read, 'order=asc&limit=100');
      const session = (await shop.createSession()).body.id;
      expect(objectsOf((await read('limit=1')).body.data)).toEqual([session]);
      expect((await walk(read, 'order=asc', cursor)).events).toEqual([]);
      clock.advance(15_001);
      for (const query of ['order=asc', 'order=asc&type=checkout.session.created'])
        expect(objectsOf((await walk(read, query, cursor)).events)).toEqual([session]);
    }
  } finally {
    await cluster.close();
  }
});

test('reads an event at once by its object, even while a transaction that inserts others goes on', async () => {
  const first = (await shop.createSession()).body.id;
  await insertEarly(first);
  const second = (await shop.createSession()).body.id;
  expect(objectsOf((await shop.get(`/v1/events?order=asc&object=${second}`)).body.data)).toEqual([
    second,
  ]);
  await outsider.release();
});

test('lets all who read at once share one look at how far they may go', async () => {
  const read = jest.spyOn(service.application.get(Database), 'read');
  const { floor } = service.application.get<Events, PostgresEvents>(Events);
  const floors = await Promise.all(Array.from({ length: 100 }, () => floor.read()));
  expect([read.mock.calls.length, new Set(floors.map(String)).size]).toEqual([1, 1]);
  read.mockRestore();
});

test('shows in the story of a payment its session, holds and refunds in order, and nothing else', async () => {
  const session = (await shop.createSession()).body;
  const { id: payment } = (
    await shop.record({ checkout_session: session.id, amount: session.amount_total })
  ).body;
  const other = (await shop.record()).body.id;
  const refund = (await shop.propose(payment, 100)).body.id;
  await shop.propose(other, 100);
  const hold = (await shop.hold(payment, { amount: 50 })).body.id;
  await shop.succeed(refund);
  await shop.releaseHold(hold);
  const listed: Reply['body'][] = (await shop.get(`/v1/events?payment=${payment}&order=asc`)).body
    .data;
  const steps = listed.map(({ type, data }) => `${type} ${data.object.id}`);
  expect(steps[0]).toBe(`checkout.session.created ${session.id}`);
  expect(steps.slice(1, 3).sort()).toEqual([
    `checkout.session.completed ${session.id}`,
    `payment.created ${payment}`,
  ]);
  const later = ['refund.created', 'payment.held', 'refund.succeeded', 'payment.released'];
  expect(steps.slice(3)).toEqual(
    later.map((type) => `${type} ${type.startsWith('refund') ? refund : payment}`),
  );
  const walked = (query: string) =>
    walk(shop.get.bind(shop), `/v1/events?payment=${payment}&${query}`);
  expect((await walked('order=asc&limit=2')).events).toEqual(listed);
  expect((await walked('limit=3')).events).toEqual(listed.toReversed());
  expect((await walked('type=refund.created')).events).toEqual([listed[3]]);
  expect((await walked(`object=${refund}`)).events).toEqual([listed[5], listed[3]]);
  expect((await walked(`object=${other}`)).events).toEqual([]);
});
