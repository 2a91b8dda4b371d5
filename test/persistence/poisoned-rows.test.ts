/**
 * A row that PostgreSQL refuses to change, or that cannot be read, stops no other row of its
 * organization, nor of the other mode.
 */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { until } from '../support/processes.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { deliver } from '../support/webhooks.js';

const world = useWebhooks();
const shop = useShop(world.service);
let receiver: Receiver;

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  receiver = await startReceiver();
  await world.service.sql.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RAISE EXCEPTION ''This row is poisoned.''; END'`);
});

afterEach(() => world.service.sql.query('DROP TRIGGER IF EXISTS poison ON webhook_deliveries'));
afterAll(() => receiver.close());

/** Refuses to change or remove the row whose column has this value. */
const poison = (table: string, column: string, id: string) =>
  world.service.sql.query(`CREATE TRIGGER poison BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW
    WHEN (OLD.${column} = '${uuidOf(id)}') EXECUTE FUNCTION refuse()`);

test('a delivery that cannot be claimed stops no other delivery', async () => {
  const { sql } = world.service;
  // The constraint stops every delivery until all of them are stored.
  await sql.query(
    'ALTER TABLE webhook_deliveries ADD CONSTRAINT none CHECK (attempts = 0) NOT VALID',
  );
  const events: string[] = [];
  for (let at = 0; at < 4; at++) events.push((await shop.notified(receiver.url)).event);
  await deliver(world.service);
  expect(receiver.received).toEqual([]);
  const [poisoned = '', ...others] = events;
  await poison('webhook_deliveries', 'event_id', poisoned);
  await sql.query('ALTER TABLE webhook_deliveries DROP CONSTRAINT none');
  await until(async () => {
    await deliver(world.service);
    return receiver.received.length >= others.length;
  }, 'the others are sent');
  expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
});

test('a delivery with too many attempts for its column, and one with an unreadable secret, stop no other delivery', async () => {
  const { id } = (
    await shop.post('/v1/webhook_endpoints', { url: new URL('/broken', receiver.url).href })
  ).body;
  const { sql } = world.service;
  await sql.query(`UPDATE webhook_endpoints SET secret = '\\x00' WHERE id = $1`, [uuidOf(id)]);
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  await sql.query(
    `UPDATE webhook_deliveries SET attempts = 32767, outcome = NULL, next_attempt_at = '-infinity' WHERE event_id = $1`,
    [uuidOf(event)],
  );
  await deliver(world.service);
  const { rows } = await sql.query(
    `SELECT outcome FROM webhook_deliveries WHERE event_id = $1 AND url = $2`,
    [uuidOf(event), receiver.url],
  );
  expect(rows).toEqual([{ outcome: 'given_up' }]);
  const before = receiver.received.length;
  const { event: next } = await shop.notified(receiver.url);
  await deliver(world.service);
  expect(receiver.received.slice(before).map((one) => one.id)).toEqual([next]);
});

test('an old event that cannot be removed stops the removal of no other event', async () => {
  const { sql, application } = world.service;
  const shops = [shop, shop, await Shop.open(world.service, shop)];
  const sessions = await Promise.all(
    shops.map(async (one) => (await one.createSession()).body.id as string),
  );
  await sql.query('DELETE FROM webhook_deliveries');
  await poison('events', 'object_id', sessions[0] as string);
  world.clock.advance(91 * 24 * 3_600_000);
  // The sweep of the service itself may hold a row at that moment.
  await until(async () => {
    await application
      .get(EventSweeper)
      .sweep()
      .catch(() => undefined);
    const left = await Promise.all(
      sessions.map(async (object, at) => (await (shops[at] as Shop).eventsOf(object)).length),
    );
    return left.join() === '1,0,0';
  });
  await sql.query('DROP TRIGGER poison ON events');
});
