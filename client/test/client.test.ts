/** The published client runs against the service itself. */
import { beforeEach, expect, test } from '@jest/globals';
import { PublicUrl } from '../../src/request/public-url.js';
import { describedFetch, SMALLEST } from '../../test/support/client.js';
import { FAULTS, startHttpProxy } from '../../test/support/http-proxy.js';
import { until } from '../../test/support/processes.js';
import { startReceiver } from '../../test/support/receiver.js';
import { useWebhooks } from '../../test/support/setup.js';
import { owned, Shop, unknownId } from '../../test/support/shop.js';
import { deliver } from '../../test/support/webhooks.js';
import {
  type LedgerEvent,
  Tillgate,
  TillgateError,
  TillgateLedger,
  verifyWebhook,
} from '../src/index.js';

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

const thrown = (sending: Promise<unknown>) => sending.catch((error: unknown) => error);

test('creates, reads and expires a session', async () => {
  const session = await tillgate.checkoutSessions.create(SMALLEST);
  expect(session).toEqual((await shop.get(`/v1/checkout_sessions/${session.id}`)).body);
  expect(await tillgate.checkoutSessions.retrieve(session.id)).toEqual(session);
  expect(await tillgate.checkoutSessions.expire(session.id)).toEqual({
    ...session,
    status: 'expired',
  });
});

test('completes a session whose total is 0', async () => {
  const free = { currency: 'usd', unit_amount: 0, product_data: { name: 'Sample' } };
  const session = await tillgate.checkoutSessions.create({
    currency: 'usd',
    line_items: [{ price_data: free }],
  });
  expect(await tillgate.checkoutSessions.complete(session.id)).toEqual({
    ...session,
    status: 'complete',
  });
});

test('reads the page of a session, and sets its payment URL', async () => {
  world.service.application.get(PublicUrl).value = 'https://pay.example';
  const { id, expires_at, pageUrl: url } = await tillgate.checkoutSessions.create(SMALLEST);
  expect(url).toMatch(/^https:\/\/pay\.example\/c\/[\w-]{66}$/);
  expect((await tillgate.checkoutSessions.retrieve(id)).pageUrl).toBe(url);
  const page = await tillgate.checkoutSessions.page(id);
  expect(page).toEqual({
    object: 'checkout.page',
    checkout_session: id,
    url,
    embed_url: null,
    expires_at,
  });
  const { organization } = shop;
  const payment_url = 'https://psp.example/4711';
  const unchanged = await ledger.checkoutSessions.page(id, { organization });
  expect(unchanged).toEqual({ ...page, organization, payment_url: null });
  const changed = await ledger.checkoutSessions.setPaymentUrl(
    id,
    { payment_url },
    { organization },
  );
  expect(changed).toEqual({ ...page, organization, payment_url });
  expect(await ledger.checkoutSessions.page(id)).toEqual(changed);
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

test('reads a list to its end, each item once, and page by page', async () => {
  const made: string[] = [];
  for (let count = 0; count < 60; count += 1) made.push((await shop.createSession()).body.id);
  const listed = await Array.fromAsync(tillgate.checkoutSessions.list({ status: 'open' }));
  expect(listed.map(({ id }) => id)).toEqual(made.reverse());
  const pages = await Array.fromAsync(tillgate.checkoutSessions.list({ limit: 20 }).pages());
  expect(pages.map(({ data }) => data.length)).toEqual([20, 20, 20]);
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

test('makes, changes, tests and deletes webhook endpoints of a merchant and of the ledger', async () => {
  const receiver = await startReceiver();
  for (const { webhookEndpoints, own } of [
    { webhookEndpoints: tillgate.webhookEndpoints, own: {} },
    { webhookEndpoints: ledger.webhookEndpoints, own: { organization: null } },
  ]) {
    const { secret, ...endpoint } = await webhookEndpoints.create({
      url: receiver.url,
      events: ['refund.created'],
    });
    expect(endpoint).toMatchObject({
      url: receiver.url,
      events: ['refund.created'],
      enabled: true,
      ...own,
    });
    const { id } = endpoint;
    expect(await webhookEndpoints.retrieve(id)).toEqual(endpoint);
    const changed = await webhookEndpoints.change(id, { description: 'Books' });
    expect(changed).toEqual({ ...endpoint, description: 'Books' });
    expect(await Array.fromAsync<unknown>(webhookEndpoints.list({ limit: 1 }))).toEqual([changed]);
    const { secret: next, ...rotated } = await webhookEndpoints.rotateSecret(id, {
      overlap_seconds: 0,
    });
    expect([rotated, next === secret]).toEqual([changed, false]);
    expect(await webhookEndpoints.test(id)).toMatchObject({
      webhook_endpoint: id,
      status_code: 204,
    });
    const [{ headers, text }] = receiver.received.splice(0) as [(typeof receiver.received)[number]];
    await expect(verifyWebhook({ body: text, headers, secret })).rejects.toThrow('No signature');
    const tested = await verifyWebhook({ body: text, headers, secret: next });
    expect(tested).toMatchObject({ type: 'webhook.test', ...own, data: { object: { id } } });
    expect(await webhookEndpoints.delete(id)).toEqual({
      id,
      object: 'webhook_endpoint',
      ...own,
      deleted: true,
    });
    expect(await thrown(webhookEndpoints.delete(id))).toMatchObject({
      code: 'not_found',
      idempotencyKey: undefined,
    });
  }
  await receiver.close();
});

test('resends an event, and reads events back as the ledger', async () => {
  const receiver = await startReceiver();
  const session = await tillgate.checkoutSessions.create(SMALLEST);
  const [event] = await Array.fromAsync(tillgate.events.list({ object: session.id }));
  const [here, there] = await Promise.all([
    tillgate.webhookEndpoints.create({ url: receiver.url }),
    ledger.webhookEndpoints.create({ url: receiver.url }),
  ]);
  const { id, ...shown } = event as NonNullable<typeof event>;
  expect(await tillgate.events.resend(id, { webhook_endpoint: here.id })).toEqual({
    ...event,
    deliveries: expect.any(Array),
  });
  await until(() => receiver.received.length === 1, 'it is sent again');
  const own = { id, ...shown, organization: shop.organization };
  expect(await Array.fromAsync(ledger.events.list({ object: session.id }))).toEqual([own]);
  await tillgate.checkoutSessions.expire(session.id);
  await deliver(world.service);
  await until(() => receiver.received.length === 3, 'both get it');
  const events = receiver.received
    .slice(1)
    .map(({ text: body, headers }) =>
      verifyWebhook<LedgerEvent>({ body, headers, secret: [here.secret, there.secret] }),
    );
  expect((await Promise.all(events)).map(({ organization }) => organization).toSorted()).toEqual([
    shop.organization,
    undefined,
  ]);
  await ledger.webhookEndpoints.delete(there.id);
  await receiver.close();
});

test('throws the error of the envelope', async () => {
  const proposal = { payment: (await shop.record({ amount: 300 })).body.id, amount: 301 };
  const error = await thrown(tillgate.refunds.propose(proposal, { idempotencyKey: 'too much' }));
  const { request_id, error: shown } = (await shop.post('/v1/refunds', proposal, 'too much')).body;
  expect(error).toBeInstanceOf(TillgateError);
  expect({ ...(error as TillgateError) }).toEqual({
    name: 'TillgateError',
    status: 422,
    code: 'refund_exceeds_remaining',
    param: 'amount',
    errors: shown.errors,
    nextStep: shown.next_step,
    requestId: request_id,
    idempotencyKey: 'too much',
  });
});

test('repeats a request under the same key on a network that fails, and makes one session', async () => {
  const proxy = await startHttpProxy(world.service.url);
  const { cutBefore, cutAfter, cutMidway } = FAULTS;
  proxy.meet(cutBefore, cutAfter, cutMidway);
  const through = new Tillgate({ baseUrl: proxy.url, key: shop.key, maxRetries: 3 });
  const session = await through.checkoutSessions.create(SMALLEST);
  expect((await Array.fromAsync(tillgate.checkoutSessions.list())).map(({ id }) => id)).toEqual([
    session.id,
  ]);
  expect(proxy.passed.map(({ method }) => method)).toEqual(Array(4).fill('POST'));
  const keys = new Set(proxy.passed.map(({ idempotencyKey }) => idempotencyKey));
  expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  await proxy.close();
});
