/** The published client runs against the service itself. */
import { beforeEach, expect, test } from '@jest/globals';
import { PublicUrl } from '../../src/request/public-url.js';
import { describedFetch, SMALLEST } from '../../test/support/client.js';
import { FAULTS, startHttpProxy } from '../../test/support/http-proxy.js';
import { until } from '../../test/support/processes.js';
import { startReceiver } from '../../test/support/receiver.js';
import { useWebhooks } from '../../test/support/setup.js';
import { Shop } from '../../test/support/shop.js';
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

test('reads a list to its end, each item once, and page by page', async () => {
  const made: string[] = [];
  for (let count = 0; count < 60; count += 1) made.push((await shop.createSession()).body.id);
  const listed = await Array.fromAsync(tillgate.checkoutSessions.list({ status: 'open' }));
  expect(listed.map(({ id }) => id)).toEqual(made.reverse());
  const pages = await Array.fromAsync(tillgate.checkoutSessions.list({ limit: 20 }).pages());
  expect(pages.map(({ data }) => data.length)).toEqual([20, 20, 20]);
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
