/** The published client records payments, places holds, and proposes and decides refunds. */
import { beforeEach, expect, test } from '@jest/globals';
import { describedFetch, SMALLEST } from '../../test/support/client.js';
import { useWebhooks } from '../../test/support/setup.js';
import { owned, Shop, unknownId } from '../../test/support/shop.js';
import { Tillgate, TillgateLedger } from '../src/index.js';

const world = useWebhooks();
let shop: Shop;
let tillgate: Tillgate;
let ledger: TillgateLedger;

beforeEach(async () => {
  shop = await Shop.open(world.service);
  tillgate = new Tillgate({ baseUrl: world.service.url, key: shop.key, fetch: describedFetch });
  ledger = new TillgateLedger({
    baseUrl: world.service.url,
    key: shop.ledgerKey,
    fetch: describedFetch,
  });
});

test('finds the payment of a session, and claims, extends, releases and returns refunds', async () => {
  const session = await tillgate.checkoutSessions.create(SMALLEST);
  const captured = {
    amount: session.amount_total,
    currency: session.currency,
    checkout_session: session.id,
  };
  const { organization } = shop;
  const recorded = await ledger.payments.record({
    ...captured,
    organization,
    reference: 'capture-1',
  });
  const [payment] = await Array.fromAsync(tillgate.payments.list({ checkout_session: session.id }));
  expect(payment?.id).toBe(recorded.id);
  expect(
    await Array.fromAsync(ledger.payments.list({ organization, reference: 'capture-1' })),
  ).toEqual([recorded]);
  const refund = await tillgate.refunds.propose({ payment: recorded.id, amount: 1 });
  const [claimed] = (await ledger.refunds.claim({ organization, limit: 1 })).data;
  const number = claimed?.claim.number as number;
  expect(claimed?.id).toBe(refund.id);
  expect(
    (await ledger.refunds.extend(refund.id, { claim: number, lease_seconds: 600 })).claim?.number,
  ).toBe(number);
  expect(
    (await ledger.refunds.release(refund.id, { claim: number }, { organization })).claim,
  ).toBeNull();
  await ledger.refunds.succeed(refund.id, { organization });
  expect((await ledger.refunds.retrieve(refund.id, { organization })).status).toBe('succeeded');
  expect((await ledger.refunds.return(refund.id, { reason: 'account closed' })).status).toBe(
    'failed',
  );
});

test('pays a session, decides refunds and moves the clock with the test helpers', async () => {
  const { testHelpers } = tillgate;
  const { id } = await tillgate.checkoutSessions.create(SMALLEST);
  const payment = await testHelpers.payCheckoutSession(id);
  expect(payment).toMatchObject({ checkout_session: id, mismatch: null });
  expect((await testHelpers.payCheckoutSession(id, { amount: 1 })).mismatch).toBe(
    'session_complete',
  );
  const [one, other] = [1, 2].map((amount) =>
    tillgate.refunds.propose({ payment: payment.id, amount }),
  );
  const refund = (await one)?.id as string;
  expect((await testHelpers.succeedRefund(refund)).status).toBe('succeeded');
  expect((await testHelpers.returnRefund(refund, { reason: 'account closed' })).status).toBe(
    'failed',
  );
  expect((await testHelpers.failRefund((await other)?.id as string)).status).toBe('failed');
  expect((await testHelpers.clock()).ahead_seconds).toBe(0);
  expect((await testHelpers.advanceClock({ advance_seconds: 60 })).ahead_seconds).toBe(60);
});

test('awaits the payment of a session for the ledger and in test mode, and finds it by its reference', async () => {
  const session = (await shop.createSession({ ...SMALLEST, metadata: { reference: 'order-1' } }))
    .body;
  const until = session.expires_at + 60;
  const { organization } = shop;
  const awaiting = await ledger.checkoutSessions.awaitPayment(
    session.id,
    { until, reason: 'debit' },
    { organization },
  );
  expect(awaiting).toEqual(owned(organization, { ...session, expires_at: until }));
  expect(await ledger.checkoutSessions.awaitPayment(session.id, { until: null })).toEqual(
    owned(organization, session),
  );
  expect((await tillgate.testHelpers.awaitPayment(session.id, { until })).expires_at).toBe(until);
  expect(
    await Array.fromAsync(tillgate.checkoutSessions.list({ reference: 'order-1' })),
  ).toMatchObject([{ id: session.id }]);
});

test('places, reads, lists and releases a hold', async () => {
  const { organization } = shop;
  const payment = (await shop.record({ amount: 500 })).body.id;
  const hold = await ledger.holds.place(payment, { amount: 200, organization });
  expect(await ledger.holds.retrieve(hold.id)).toEqual(hold);
  expect(await ledger.holds.retrieve(hold.id, { organization })).toEqual(hold);
  expect(await Array.fromAsync(ledger.holds.list({ payment, organization }))).toEqual([hold]);
  const another = ledger.holds.release(hold.id, { organization: unknownId('org') });
  await expect(another).rejects.toMatchObject({ status: 404 });
  expect(await ledger.holds.release(hold.id, { organization })).toEqual({
    ...hold,
    status: 'released',
  });
});

test('proposes and cancels refunds for the merchant, and decides them for the ledger', async () => {
  const payment = await ledger.payments.record({
    organization: shop.organization,
    amount: 5000,
    currency: 'usd',
  });
  expect(await ledger.payments.retrieve(payment.id, { organization: shop.organization })).toEqual(
    payment,
  );
  const propose = (amount: number) => tillgate.refunds.propose({ payment: payment.id, amount });
  const [paid, refused, withdrawn] = [await propose(1), await propose(2), await propose(3)];
  expect(
    (await Array.fromAsync(ledger.refunds.list({ organization: shop.organization }))).map(
      ({ id }) => id,
    ),
  ).toEqual([paid, refused, withdrawn].map(({ id }) => id));
  expect((await ledger.refunds.succeed(paid.id)).status).toBe('succeeded');
  expect((await ledger.refunds.fail(refused.id, { reason: 'The account is closed.' })).status).toBe(
    'failed',
  );
  expect(await tillgate.refunds.cancel(withdrawn.id)).toEqual({ ...withdrawn, status: 'canceled' });
  expect(await Array.fromAsync(tillgate.refunds.list({ status: 'succeeded' }))).toEqual([
    await tillgate.refunds.retrieve(paid.id),
  ]);
  expect((await tillgate.payments.retrieve(payment.id)).amount_refunded).toBe(1);
  const [event] = await Array.fromAsync(tillgate.events.list({ object: paid.id, order: 'asc' }));
  expect(event).toMatchObject({ type: 'refund.created', data: { object: paid } });
});
