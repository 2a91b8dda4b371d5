/** Webhooks never reach the network that the service runs in, whatever a URL or a resolver says. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import type { Mode } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { post, SMALLEST } from '../support/client.js';
import { answer, startReceiver } from '../support/receiver.js';
import { useReceiver, useWebhooks } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { createLedgerKey } from '../support/tenants.js';
import { attempt, deliver, startWebhooks, TIMEOUT_MS } from '../support/webhooks.js';

const strict = useWebhooks({ config: { webhookAllowPrivate: false } });
const receiver = useReceiver();

const refused = attempt(
  1,
  null,
  'The host is not at a public address. For development, set WEBHOOK_ALLOW_PRIVATE=true for the service or command that sends.',
  false,
);

async function outcome(url: string) {
  const owner = await Shop.open(strict.service);
  const { event } = await owner.notified(url);
  await deliver(strict.service);
  return owner.deliveriesOf(event);
}

test('refuses a port of this machine, however its address is written', async () => {
  const { port } = new URL(receiver.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    expect(await outcome(`http://${host}:${port}/`)).toEqual([refused]);
  }
  for (const host of ['0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'receiver.test', '127.1']) {
    expect(await outcome(`https://${host}:${port}/`)).toEqual([refused]);
  }
  expect(receiver.received).toEqual([]);
});

test('stops the look-up of a name when its attempt ends', async () => {
  let reason: Error | undefined;
  const resolve = (_name: string, signal: AbortSignal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
        reject(signal.reason);
      });
    });
  const usual = { ...strict.network };
  Object.assign(strict.network, { resolve, timeoutMs: TIMEOUT_MS });
  const error = `No response within ${TIMEOUT_MS} ms.`;
  expect(await outcome('https://receiver.test/')).toEqual([attempt(1, null, error, false)]);
  expect(reason?.message).toBe(error);
  Object.assign(strict.network, usual);
});

/** Makes attempts at a URL that the service would not accept any more. */
async function outcomeOnceStored(owner: Shop, url: string) {
  const { event } = await owner.notified('https://receiver.test/');
  await deliver(strict.service);
  await strict.service.sql.query(
    'UPDATE webhook_deliveries SET url = $1, outcome = NULL, next_attempt_at = $3 WHERE event_id = $2',
    [url, uuidOf(event), new Date(strict.clock.now())],
  );
  await deliver(strict.service);
  const deliveries = await owner.deliveriesOf(event);
  return { event, last: deliveries.at(-1) };
}

test.each(['https://receiver.test:22/', 'https://receiver.test:5/'])(
  'refuses the port of %s',
  async (url) => {
    const { last } = await outcomeOnceStored(await Shop.open(strict.service), url);
    const error = 'Webhooks are only sent to port 80, 443, or a port from 1024 up.';
    expect(last).toMatchObject({ status_code: null, error });
  },
);

const FAULT =
  'must be an https URL, or in test mode http to localhost; with WEBHOOK_ALLOW_PRIVATE=true, http to any host.';

// The test starts its second service after the first one has tried, because each would make the
// attempts of the other.
test('calls http at another host with WEBHOOK_ALLOW_PRIVATE only', async () => {
  const owner = await Shop.open(strict.service);
  const { port } = new URL(receiver.url);
  const { event, last } = await outcomeOnceStored(owner, `http://receiver.test:${port}/`);
  expect(last).toMatchObject({ status_code: null, error: `The URL ${FAULT}` });
  expect(receiver.received).toEqual([]);
  const open = await startWebhooks({ databaseUrl: strict.service.databaseUrl });
  await owner.at(open.service).post(`/v1/events/${event}/resend`, {});
  await deliver(open.service);
  expect(receiver.received).toHaveLength(1);
  await open.service.close();
});

describe('http to another host', () => {
  const url = 'http://receiver.test:4000/';
  let open: Awaited<ReturnType<typeof startWebhooks>>;

  beforeAll(async () => {
    // This service only answers from here on, because it would make the attempts of the others.
    await strict.service.application.get(WebhookScheduler).stop(0);
    open = await startWebhooks({ databaseUrl: strict.service.databaseUrl });
  });
  afterAll(() => open.service.close());

  test('is refused as the URL of a session or endpoint, and allowed with WEBHOOK_ALLOW_PRIVATE', async () => {
    const owner = await Shop.open(strict.service);
    for (const [path, key, body] of [
      ['/v1/checkout_sessions', owner.key, { ...SMALLEST, notify_url: url }],
      ['/v1/webhook_endpoints', owner.key, { url }],
      ['/ledger/v1/webhook_endpoints', owner.ledgerKey, { url }],
    ] as const) {
      const param = 'url' in body ? 'url' : 'notify_url';
      const error = { param, code: 'invalid_format', message: `${param} ${FAULT}`, allowed: [] };
      const refused = await post(`${strict.service.url}${path}`, { key, body });
      expect([refused.status, refused.body.error.errors]).toEqual([400, [error]]);
      expect((await post(`${open.service.url}${path}`, { key, body })).status).toBe(201);
    }
  });

  test('is refused when an endpoint changes, which can still be disabled', async () => {
    const owner = await Shop.open(strict.service);
    const { id } = (await owner.at(open.service).post('/v1/webhook_endpoints', { url })).body;
    const change = (body: object) => owner.post(`/v1/webhook_endpoints/${id}`, body);
    expect((await change({ url })).body.error.errors[0].message).toBe(`url ${FAULT}`);
    expect((await change({ enabled: false })).body).toMatchObject({ url, enabled: false });
    const live = (await owner.in('live', strict.service)).at(open.service);
    const inLiveMode = await live.post('/v1/webhook_endpoints', { url });
    expect(inLiveMode.body.error.errors[0].message).toBe('url must be an https URL in live mode.');
  });

  test('is never called at a link-local address, and the error says so', async () => {
    const owner = await Shop.open(open.service);
    const { event } = await owner.notified('http://169.254.169.254:4000/');
    await deliver(open.service);
    const error = 'The host has an address that webhooks are never sent to.';
    expect(await owner.deliveriesOf(event)).toEqual([attempt(1, null, error, false)]);
  });
});

describe('a service on the embedded database', () => {
  const { error } = refused;

  /**
   * Returns the attempt to reach a receiver on this machine, from a service that listens on the
   * host.
   */
  async function attemptFrom(host: string, isEmbedded: boolean, mode: Mode) {
    const { service } = await startWebhooks({
      databaseUrl: strict.service.databaseUrl,
      isEmbedded,
      config: { webhookAllowPrivate: false, host },
    });
    const owner = await (await Shop.open(service)).in(mode, service);
    const url = mode === 'test' ? receiver.url : receiver.url.replace('http:', 'https:');
    const { id } = (await owner.post('/v1/webhook_endpoints', { url })).body;
    const attempted = (await owner.post(`/v1/webhook_endpoints/${id}/test`, {})).body;
    await owner.post(`/v1/webhook_endpoints/${id}`, { enabled: false });
    await service.close();
    return attempted;
  }

  test.each(['127.0.0.1', 'localhost', '::1'])(
    'reaches this machine in test mode while HOST is %s',
    async (host) => {
      expect(await attemptFrom(host, true, 'test')).toMatchObject({ status_code: 204 });
    },
  );

  test.each(['0.0.0.0', '::', '10.0.0.1', 'tillgate'])(
    'does not reach this machine in test mode while HOST is %s, where others reach the service',
    async (host) => {
      expect(await attemptFrom(host, true, 'test')).toMatchObject({ status_code: null, error });
    },
  );

  test('does not reach this machine in live mode, nor on another database', async () => {
    for (const [isEmbedded, mode] of [
      [true, 'live'],
      [false, 'test'],
    ] as const) {
      const attempted = await attemptFrom('127.0.0.1', isEmbedded, mode);
      expect(attempted).toMatchObject({ status_code: null, error });
    }
    expect(receiver.received).toEqual([]);
  });
});

describe('a service with LEDGER_WEBHOOK_NETWORKS', () => {
  let listing: Awaited<ReturnType<typeof startWebhooks>>;

  beforeAll(async () => {
    const config = {
      webhookAllowPrivate: false,
      ledgerWebhookNetworks: ['127.0.0.0/8', '169.254.0.0/16'],
    };
    listing = await startWebhooks({ databaseUrl: strict.service.databaseUrl, config });
  });
  afterAll(() => listing.service.close());

  async function ledgersEndpoint(url: string) {
    const { service } = listing;
    const key = await createLedgerKey(service);
    const path = `${service.url}/ledger/v1/webhook_endpoints`;
    const { id } = (await post(path, { key, body: { url, events: ['checkout.session.created'] } }))
      .body;
    const call = async (rest: string, body: object = {}) =>
      (await post(`${path}/${id}${rest}`, { key, body })).body;
    return { test: () => call('/test'), disable: () => call('', { enabled: false }) };
  }

  test("reaches a listed address for the ledger only, and never on the ledger's open connection for others", async () => {
    const { service } = listing;
    const ledger = await ledgersEndpoint(receiver.url);
    const owner = await Shop.open(service);
    const { event } = await owner.notified(receiver.url);
    await deliver(service);
    expect(receiver.received).toMatchObject([{ id: event }]);
    expect(await owner.deliveriesOf(event)).toEqual([refused]);
    const path = '/v1/webhook_endpoints';
    const { id } = (await owner.post(path, { url: receiver.url })).body;
    const test = async () => (await owner.post(`${path}/${id}/test`, {})).body;
    const { error } = refused;
    expect(await ledger.test()).toMatchObject({ status_code: 204, error: null });
    expect(await test()).toMatchObject({ status_code: null, error });
    await ledger.disable();
    await owner.post(`/v1/events/${event}/resend`, {});
    await deliver(service);
    const deliveries = await owner.deliveriesOf(event);
    expect(new Set(deliveries.map((one: { error: unknown }) => one.error))).toEqual(
      new Set([error]),
    );
    expect(receiver.received).toHaveLength(2);
  });

  test('follows no redirect, and refuses other addresses and listed link-local ones', async () => {
    const to = await startReceiver();
    receiver.behave(answer(307, { location: to.url }));
    const redirecting = await ledgersEndpoint(receiver.url);
    expect(await redirecting.test()).toMatchObject({
      status_code: 307,
      error: 'Redirects are not followed.',
    });
    expect(to.received).toEqual([]);
    const error =
      'The host is neither at a public address nor in a network that LEDGER_WEBHOOK_NETWORKS lists.';
    for (const host of [
      '169.254.169.254',
      '10.0.0.1',
      '[::1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ]) {
      const elsewhere = await ledgersEndpoint(`https://${host}:4000/`);
      expect(await elsewhere.test()).toMatchObject({ status_code: null, error });
      await elsewhere.disable();
    }
    await redirecting.disable();
    await to.close();
  });
});
