/** Transitions that exclude each other, at once and on two instances: exactly one of them happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce as many, type Reply, untilDecided } from '../support/client.js';
import { Holder, overtaken, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { atOnce, inRaces, RACES } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const service = useService();
const other = useOther(service);
let here: Shop;
let there: Shop;

beforeEach(async () => {
  here = await Shop.open(service);
  there = here.at(other);
});

afterEach(() => expectBalanced(service));

const codesOf = (replies: readonly Reply[]) => replies.map(({ body }) => body.error?.code ?? 'done').sort();

const whileChanged = (id: string, change: string, request: () => Promise<Reply>) =>
  overtaken(service, [change, uuidOf(id)], () => untilDecided(request));

// Guards what a change of a refund compares with the state that it was decided on.
test.each([
  ['is released', 'claim_expires_at = NULL'],
  ['is taken over', 'claim_number = 2'],
])('a refund does not fail by a claim that %s meanwhile', async (_, change) => {
  const payment = await here.capture();
  const { id } = (await here.propose(payment, 10)).body;
  await here.claim();
  const failed = await whileChanged(id, `UPDATE refunds SET ${change} WHERE id = $1`, () =>
    here.fail(id, { claim: 1 }),
  );
  expect([failed.status, failed.body.error?.code]).toEqual([422, 'refund_claimed']);
  expect((await here.amountsOf(payment)).pending).toBe(10);
});

test('a session is not paid whose time ends after its payment was decided', async () => {
  const session = (await here.createSession()).body;
  const over = 'UPDATE checkout_sessions SET expires_at = statement_timestamp() WHERE id = $1';
  const paid = await whileChanged(session.id, over, () => here.record({ amount: 1000, checkout_session: session.id }));
  expect([paid.status, paid.body.error?.code]).toEqual([422, 'session_not_open']);
  expect((await here.get(`/v1/checkout_sessions/${session.id}`)).body.status).toBe('expired');
});

test('of the expiry of a session and its payment exactly one wins', async () => {
  await inRaces(async (number) => {
    const session = (await here.createSession()).body;
    const pay = () => there.record({ amount: 1000, checkout_session: session.id });
    const replies = await atOnce([() => here.expire(session.id), pay], number);
    expect(codesOf(replies)).toEqual(['done', 'session_not_open']);
    const isPaid = replies.some((reply) => reply.status === 201);
    const outcome = isPaid ? { status: 'complete', payment_status: 'paid' } : { status: 'expired' };
    expect((await here.get(`/v1/checkout_sessions/${session.id}`)).body).toEqual({ ...session, ...outcome });
  });
});

test('of two payments for one session exactly one is recorded', async () => {
  await inRaces(async (number) => {
    const session = (await here.createSession()).body.id;
    const pay = (at: Shop, reference: string) => () =>
      at.record({ amount: 1000, checkout_session: session, reference: `${reference}-${number}` });
    const replies = await atOnce([pay(here, 'first'), pay(there, 'second')], number);
    expect(codesOf(replies)).toEqual(['done', 'session_not_open']);
  });
  const { rows } = await service.sql.query(
    'SELECT count(*)::int AS payments, count(DISTINCT checkout_session_id)::int AS sessions FROM payments WHERE amount = 1000 AND reference IS NOT NULL',
  );
  expect(rows).toEqual([{ payments: RACES, sessions: RACES }]);
});

test("concurrent holds and releases have one order, which the sequence of the payment's events shows", async () => {
  const payment = (await here.record({ amount: 20 })).body.id;
  const at = (number: number) => (number % 2 === 0 ? here : there);
  const holds = await many(20, async (number) => untilDecided(() => at(number).hold(payment, { amount: 1 })));
  await many(20, async (number) => untilDecided(() => at(number).releaseHold(holds[number]?.body.id)));
  const path = `/v1/events?object=${payment}&order=asc&limit=100`;
  const events: Reply['body'][] = (await here.get(path)).body.data;
  const shown = events.map(({ sequence, data }) => [sequence, data.object.amount_on_hold]);
  const onHold = (_: unknown, index: number) => [index + 1, index <= 20 ? index : 40 - index];
  expect(shown).toEqual(Array.from({ length: 41 }, onHold));
});

test('a transaction does not wait for a lookup that waits for its connection', async () => {
  const payment = (await here.record({ amount: 20 })).body.id;
  const outsider = await Holder.connect(service.databaseUrl);
  await outsider.hold('SELECT FROM payments WHERE id = $1 FOR UPDATE', [uuidOf(payment)]);
  const holds = many(20, () => untilDecided(() => here.hold(payment, { amount: 1 })));
  // All connections that the organization may have are in transactions, which wait for the payment.
  await until(async () => (await waitingForLocks(service.sql)) === 4);
  // The list reads the clock of test mode again, which each transaction needs too.
  await sleep(150);
  const list = here.get('/v1/payments');
  await until(() => service.application.get(Database).load.waiting === 17);
  await outsider.end();
  expect((await list).status).toBe(200);
  for (const { status } of await holds) expect(status).toBe(201);
});
