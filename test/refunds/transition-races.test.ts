/**
 * In these races, the state that a transition is decided on changes meanwhile.
 * test/payments/money-race.test.ts races everything that moves the money of a payment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, type Reply, untilDecided } from '../support/client.js';
import { Holder, overtaken, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { inRaces, atOnce as race } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';

const service = useService();
const other = useOther(service);
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const whileChanged = (id: string, change: string, request: () => Promise<Reply>) =>
  overtaken(service, [change, uuidOf(id)], () => untilDecided(request));

// These tests fail if a refund is not locked before its change is decided.
test.each([
  ['is released', 'claim_expires_at = NULL'],
  ['is taken over', 'claim_number = 2'],
])('does not fail a refund by a claim that %s meanwhile', async (_, change) => {
  const payment = await shop.capture();
  const { id } = (await shop.propose(payment, 10)).body;
  await shop.claim();
  const failed = await whileChanged(id, `UPDATE refunds SET ${change} WHERE id = $1`, () =>
    shop.fail(id, { claim: 1 }),
  );
  expect([failed.status, failed.body.error?.code]).toEqual([422, 'refund_claimed']);
  expect((await shop.amountsOf(payment)).pending).toBe(10);
});

test('does not fail a refund that is canceled meanwhile', async () => {
  const payment = await shop.capture();
  const { id } = (await shop.propose(payment, 10)).body;
  const canceled = `WITH canceled AS (UPDATE refunds SET status = 'canceled' WHERE id = $1 RETURNING payment_id)
    UPDATE payments SET amount_pending_refund = 0 FROM canceled WHERE id = payment_id`;
  const failed = await whileChanged(id, canceled, () => shop.fail(id));
  expect([failed.status, failed.body.error?.code]).toEqual([422, 'refund_not_pending']);
  expect((await shop.amountsOf(payment)).pending).toBe(0);
});

test('does not pay a session whose time ends after its payment was decided', async () => {
  const session = (await shop.createSession()).body;
  const over = 'UPDATE checkout_sessions SET expires_at = statement_timestamp() WHERE id = $1';
  const paid = await whileChanged(session.id, over, () =>
    shop.record({ amount: 1000, checkout_session: session.id }),
  );
  expect([paid.status, paid.body.error?.code]).toEqual([422, 'session_not_open']);
  expect((await shop.get(`/v1/checkout_sessions/${session.id}`)).body.status).toBe('expired');
});

test('counts an outcome once that is told at once, and frees an amount once', async () => {
  await inRaces(async (number) => {
    // The payment holds both amounts and nothing more, so an outcome that was counted meanwhile
    // must not be taken for another payout.
    const payment = await shop.capture({ amount: 2 });
    const refund = (await shop.propose(payment, 1)).body.id;
    const hold = (await shop.hold(payment, { amount: 1 })).body.id;
    const both = [shop, shop.at(other)];
    const same = [...both, ...both].map((at) => () => at.succeed(refund));
    expect(
      new Set((await race(same, number)).map(({ status, text }) => `${status} ${text}`)).size,
    ).toBe(1);
    const counted = { captured: 2, refunded: 1, pending: 0 };
    expect(await shop.amountsOf(payment)).toMatchObject(counted);
    const twice = both.flatMap((at) => [() => at.return(refund), () => at.releaseHold(hold)]);
    for (const { status } of await race(twice, number)) expect(status).toBe(200);
    const { body } = await shop.get(`/v1/payments/${payment}`);
    expect(body).toMatchObject({ amount_refunded: 0, amount_on_hold: 0, amount_refundable: 2 });
  });
});

test('frees the amount of a hold once when both releases have read it as active', async () => {
  const payment = await shop.capture({ amount: 2 });
  const hold = (await shop.hold(payment, { amount: 1 })).body.id;
  // Without this hold, PostgreSQL would refuse the second release, which would be tried again.
  await shop.hold(payment, { amount: 1 });
  const outsider = await Holder.connect(service.databaseUrl);
  await outsider.hold('SELECT FROM payments WHERE id = $1 FOR UPDATE', [uuidOf(payment)]);
  const releases = [shop, shop.at(other)].map((at) => at.releaseHold(hold));
  await until(async () => (await waitingForLocks(service.sql)) === 2);
  await outsider.end();
  const released = { status: 200, body: { id: hold, status: 'released' } };
  expect(await Promise.all(releases)).toMatchObject([released, released]);
  const amounts = { amount_on_hold: 1, amount_refundable: 1 };
  expect((await shop.get(`/v1/payments/${payment}`)).body).toMatchObject(amounts);
});

test("gives concurrent holds and releases the order of the payment's events", async () => {
  const payment = (await shop.record({ amount: 20 })).body.id;
  const at = (number: number) => (number % 2 === 0 ? shop : shop.at(other));
  const holds = await atOnce(20, async (number) =>
    untilDecided(() => at(number).hold(payment, { amount: 1 })),
  );
  await atOnce(20, async (number) =>
    untilDecided(() => at(number).releaseHold(holds[number]?.body.id)),
  );
  const path = `/v1/events?object=${payment}&order=asc&limit=100`;
  const events: Reply['body'][] = (await shop.get(path)).body.data;
  const shown = events.map(({ sequence, data }) => [sequence, data.object.amount_on_hold]);
  const onHold = (_: unknown, index: number) => [index + 1, index <= 20 ? index : 40 - index];
  expect(shown).toEqual(Array.from({ length: 41 }, onHold));
});

test('does not let a transaction wait for a lookup that waits for its connection', async () => {
  const payment = (await shop.record({ amount: 20 })).body.id;
  const outsider = await Holder.connect(service.databaseUrl);
  const lock = 'SELECT FROM payments WHERE organization_id = $1 AND id = $2 FOR UPDATE';
  await outsider.hold(lock, [shop.organization, payment].map(uuidOf));
  const holds = atOnce(20, () => untilDecided(() => shop.hold(payment, { amount: 1 })));
  // All connections that the organization may have are now in transactions, which wait for the
  // payment.
  await until(async () => (await waitingForLocks(service.sql)) === 4);
  // The list reads the clock of test mode again, which each transaction needs too.
  await sleep(150);
  const list = shop.get('/v1/payments');
  await until(() => service.application.get(Database).load.waiting === 17);
  await outsider.end();
  expect((await list).status).toBe(200);
  for (const { status } of await holds) expect(status).toBe(201);
});
