/**
 * These tests cover events under races, sweepers and time. conformance/cases/events.json has the
 * event of each change.
 */
import { expect, test } from '@jest/globals';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { firstUuidAt } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { type Reply, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { idleJobs } from '../support/idle-jobs.js';

const DAY = 86_400_000;

const clock = new TestClock();
const service = useService({ clock, overrides: [idleJobs()] });
const shop = useShop(service);

test('records one event for each change, of refused, replayed and concurrent requests', async () => {
  const created = await Promise.all(
    [1, 2, 3].map(() => shop.post('/v1/checkout_sessions', SMALLEST, 'the-same')),
  );
  const { id } = created[0]?.body ?? {};
  await Promise.all([1, 2, 3, 4].map(() => shop.expire(id)));
  const payment = (await shop.record({ amount: 1000 })).body.id;
  const refunds = await Promise.all([1, 2, 3, 4, 5].map(() => shop.propose(payment, 400)));
  const made = refunds.filter(({ status }) => status === 201);
  expect(made).toHaveLength(2);
  await Promise.all(made.flatMap(({ body }) => [shop.cancel(body.id), shop.succeed(body.id)]));
  const { data }: { data: Reply['body'][] } = (await shop.get('/v1/events?limit=100')).body;
  const sequences = Map.groupBy(data, (one) => one.data.object.id).values();
  const counted = [...sequences].map((events) => events.map(({ sequence }) => sequence));
  expect(counted).toEqual([[2, 1], [2, 1], [1], [2, 1]]);
});

test('lets the database refuse a second event for the same step', async () => {
  await shop.expire((await shop.createSession()).body.id);
  const again = `INSERT INTO events SELECT organization_id, mode, gen_random_uuid(), type, object_id, sequence, data
    FROM events ORDER BY id DESC LIMIT 1`;
  await expect(service.sql.query(again)).rejects.toMatchObject({
    constraint: 'events_sequence_key',
  });
});

test('keeps events for 90 days and then removes them with their deliveries', async () => {
  const body = { ...SMALLEST, notify_url: 'https://example.test/old' };
  const old = (await shop.createSession(body)).body.id;
  await service.sql.query(`INSERT INTO webhook_attempts
    SELECT organization_id, mode, event_id, 9, now(), 500, NULL, 1, NULL FROM webhook_deliveries WHERE url LIKE '%/old'`);
  clock.advance(89 * DAY);
  await service.application.get(EventSweeper).sweep();
  expect(await shop.eventsOf(old)).toHaveLength(1);
  const young = (await shop.createSession(body)).body.id;
  clock.advance(2 * DAY);
  await service.application.get(EventSweeper).sweep();
  // A new event that has taken the place of an old one in the table stays.
  const all = (
    await service.sql.query('SELECT organization_id AS organization, ctid AS place, id FROM events')
  ).rows;
  await service.application.get(EventSweeper).remove(all, firstUuidAt(clock.now() - 90 * DAY));
  expect([await shop.eventsOf(old), await shop.eventsOf(young)]).toEqual([
    [],
    [expect.objectContaining({ type: 'checkout.session.created', sequence: 1 })],
  ]);
  const { rows } = await service.sql.query(`SELECT
    (SELECT count(*)::int FROM webhook_deliveries WHERE url LIKE '%/old') AS deliveries,
    (SELECT count(*)::int FROM webhook_attempts WHERE attempt = 9) AS attempts`);
  expect(rows).toEqual([{ deliveries: 1, attempts: 0 }]);
});
