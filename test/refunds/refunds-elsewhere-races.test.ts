/**
 * Refunds that were made elsewhere are told many times at once, beside everything else that moves a
 * payment, over two instances.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce as many, type Reply, untilDecided } from '../support/client.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { atOnce, inRaces } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const TOLD = 1_000;
const AMOUNT = 500;

const service = useService();
const other = useOther(service);
let here: Shop;
let there: Shop;
let live: Shop;

beforeEach(async () => {
  here = await Shop.open(service);
  there = here.at(other);
  live = await here.in('live', service);
});

afterEach(() => expectBalanced(service));

const payout = (number: number) => ({ provider_reference: `payout_${number}` });
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();

test('records one refund of 1,000 requests at once with one provider reference, in each mode', async () => {
  for (const shop of [here, live]) {
    const payment = await shop.capture();
    const at = [shop, shop.at(other)];
    const tell = (number: number) =>
      untilDecided(() => (at[number % 2] as Shop).recordRefund(payment));
    const replies = await many(TOLD, tell);
    expect(statusesOf(replies)).toEqual([...Array<number>(TOLD - 1).fill(200), 201]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await shop.amountsOf(payment)).toEqual({
      captured: 5000,
      refunded: AMOUNT,
      pending: 0,
      left: 5000 - AMOUNT,
    });
    expect(await shop.eventsOf(replies[0]?.body.id)).toMatchObject([
      { sequence: 1 },
      { sequence: 2 },
    ]);
  }
});

// This test guards the lock of the payment, after which each request looks for what the other one
// may have written.
test('counts a payout once that is told for a proposal and as made elsewhere at once', async () => {
  const payment = await here.capture({ amount: 1_000_000 });
  await inRaces(async (number) => {
    const { id } = (await untilDecided(() => here.propose(payment, AMOUNT))).body;
    const tell = () => there.recordRefund(payment, payout(number));
    const replies = await atOnce([() => here.succeed(id, payout(number)), tell], number);
    expect(replies.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2]);
    const { status, provider_reference } = (await here.ledgerGet(`/ledger/v1/refunds/${id}`)).body;
    expect({ status, provider_reference }).toEqual({ status: 'succeeded', ...payout(number) });
  });
  expect(await here.amountsOf(payment)).toMatchObject({ refunded: 100 * AMOUNT, pending: 0 });
});

/**
 * Sends the requests one after the other while somebody else has the payment. After that, none of
 * them may wait for another one in a circle.
 */
async function meeting(
  payment: string,
  requests: readonly (() => Promise<Reply>)[],
): Promise<Reply[]> {
  const outsider = await Holder.connect(service.databaseUrl);
  const lock = 'SELECT FROM payments WHERE organization_id = $1 AND id = $2 FOR UPDATE';
  await outsider.hold(lock, [here.organization, payment].map(uuidOf));
  const replies: Promise<Reply>[] = [];
  for (const request of requests) {
    replies.push(request());
    await until(async () => (await waitingForLocks(service.sql)) === replies.length);
  }
  await outsider.end();
  return Promise.all(replies);
}

// This test guards that both requests lock the payment before they add the refund.
test.each([0, 1])(
  'lets a proposal and a payout with one reference both through, whichever is first (%i)',
  async (first) => {
    for (const shop of [here, live]) {
      const payment = await shop.capture();
      const proposal = { payment, amount: AMOUNT, reference: 'return-1' };
      const requests = [
        () => shop.recordRefund(payment, { reference: 'return-1' }),
        () => shop.at(other).post('/v1/refunds', proposal),
      ];
      const replies = await meeting(payment, first === 0 ? requests : requests.toReversed());
      expect(statusesOf(replies)).toEqual([200, 201]);
      expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
      expect(await shop.amountsOf(payment)).toMatchObject({ refunded: AMOUNT, pending: 0 });
    }
  },
);

// The index refunds_made_elsewhere_key guards this, because the lock is that of one payment only.
const tellOfTwo = () =>
  inRaces(async (number) => {
    const payments = await Promise.all([here.capture(), here.capture()]);
    const tell = payments.map(
      (payment, at) => () => [here, there][at]?.recordRefund(payment, payout(number)) as never,
    );
    return statusesOf(await atOnce(tell, number)).join();
  });

test('records one payout for one payment when it is told for two at once', async () => {
  expect(new Set(await tellOfTwo())).toEqual(new Set(['201,422']));
});

// The next test removes the index, so it stays last.
test('records one payout for both payments without refunds_made_elsewhere_key', async () => {
  await service.sql.query('DROP INDEX refunds_made_elsewhere_key');
  expect(await tellOfTwo()).toContain('201,201');
});
