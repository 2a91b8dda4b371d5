/**
 * If many payments for one session or one reference come at once, one is recorded or matches.
 * conformance/cases/ledger.json shows how the service refuses others.
 */
import { afterEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, type Reply, untilDecided } from '../support/client.js';
import { expectBalanced } from '../support/reconciled.js';
import type { Shop } from '../support/shop.js';

const RACERS = 50;
const RECORD = { on_mismatch: 'record' };

const service = useService();
const other = useOther(service);
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const session = async () => (await shop.createSession()).body.id as string;
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();

/** Sends all requests at once, half of them to each instance. */
function race(request: (shop: Shop, racer: number) => Promise<Reply>): Promise<Reply[]> {
  return atOnce(RACERS, (racer) =>
    untilDecided(() => request(shop.at(racer % 2 ? service : other), racer)),
  );
}

test.each([
  ['50 keys send one reference at once', async () => ({})],
  [
    '50 requests pay one session with one reference at once',
    async () => ({ amount: 1000, checkout_session: await session() }),
  ],
])('records one payment when %s', async (_, make) => {
  const facts = { reference: 'race', ...(await make()) };
  const replies = await race((at) => at.record(facts));
  expect(statusesOf(replies)).toEqual([...Array<number>(RACERS - 1).fill(200), 201]);
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
});

test('records one payment and refuses the others when 50 with one reference have other amounts', async () => {
  const replies = await race((at, racer) => at.record({ reference: 'race', amount: 1 + racer }));
  expect(statusesOf(replies)).toEqual([201, ...Array<number>(RACERS - 1).fill(422)]);
});

test('matches the first exact payment, and records all others as unmatched', async () => {
  const id = await session();
  const facts = { amount: 1000, checkout_session: id, ...RECORD };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => untilDecided(() => shop.record(facts))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
  const others = answers.map(({ body }) => body.mismatch).filter((mismatch) => mismatch !== null);
  expect(others).toEqual(Array(7).fill('session_complete'));
  const matching = answers.find(({ body }) => body.mismatch === null)?.body;
  const [created] = await shop.eventsOf(matching.id);
  expect(created).toMatchObject({
    type: 'payment.created',
    sequence: 1,
    data: { object: { id: matching.id } },
  });
  expect((await shop.eventsOf(id)).map(({ type }) => type)).toEqual([
    'checkout.session.created',
    'checkout.session.completed',
  ]);
});

test('lets PostgreSQL refuse a second matching payment of a session', async () => {
  const id = await session();
  await shop.record({ amount: 1000, checkout_session: id });
  const copy = `INSERT INTO payments (organization_id, mode, id, currency, amount, checkout_session_id, mismatch)
    SELECT organization_id, mode, gen_random_uuid(), currency, amount, checkout_session_id, $2::mismatch FROM payments
    WHERE checkout_session_id = $1`;
  await expect(service.sql.query(copy, [uuidOf(id), null])).rejects.toMatchObject({
    constraint: 'payments_checkout_session_key',
  });
  await service.sql.query(copy, [uuidOf(id), 'session_complete']);
});

test('holds and releases a payment however many events it has', async () => {
  const payment = (await shop.record()).body.id;
  const many = 32_767;
  const uuid = [uuidOf(payment)];
  await service.sql.query(`UPDATE payments SET version = ${many} WHERE id = $1`, uuid);
  await service.sql.query(`UPDATE events SET sequence = ${many} WHERE object_id = $1`, uuid);
  const { body } = await shop.hold(payment);
  expect((await shop.releaseHold(body.id)).status).toBe(200);
  const events = await shop.eventsOf(payment);
  expect(events.map(({ sequence }) => sequence)).toEqual([many, many + 1, many + 2]);
});
