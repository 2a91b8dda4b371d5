import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Deliveries, WebhookEndpoints } from '../../src/modules/webhooks/application/ports.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { MODES, type Mode } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { atOnce, get, isReplay, post, type Reply, send } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { until } from '../support/processes.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { createLedgerKey, createTenant } from '../support/tenants.js';
import { attempt, deliver } from '../support/webhooks.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NO_ENDPOINT = '0'.repeat(32);
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const world = useWebhooks();
const shop = useShop(world.service);
let ledger: string;
let receiver: Receiver;

beforeAll(async () => {
  ledger = await createLedgerKey(world.service);
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await world.service.sql.query('DELETE FROM ledger_webhook_endpoints');
  await receiver.close();
});

/** The two surfaces have the same operations. An endpoint of the ledger has no organization. */
const SURFACES = [
  { name: 'organizations', path: '/v1/webhook_endpoints', key: () => shop.key, own: {} },
  { name: 'the ledger', path: '/ledger/v1/webhook_endpoints', key: () => ledger, own: { organization: null } },
];
const [MERCHANT, LEDGER] = SURFACES as [(typeof SURFACES)[number], (typeof SURFACES)[number]];

const at = ({ path }: { path: string }, rest = '') => `${world.service.url}${path}${rest}`;
const createdAt = (surface: typeof MERCHANT, body: object) => post(at(surface), { key: surface.key(), body });
const create = async (surface: typeof MERCHANT, body: object = {}) =>
  (await createdAt(surface, { url: receiver.url, ...body })).body;
const createSession = async () => (await shop.createSession()).body;

/** Verified at the time of the signature: the library compares it with the real clock. */
function isSignedBy(secret: string, { headers, text, id }: Receiver['received'][number]): boolean {
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000);
  return (headers['webhook-signature'] as string).split(' ').includes(new Webhook(secret).sign(id, sent, text));
}

describe.each(SURFACES)('endpoints of $name', (surface) => {
  test('are sixteen at most, however many are created at once', async () => {
    const replies = await atOnce(24, () => createdAt(surface, { url: receiver.url }));
    const [created, refused] = [201, 422].map((status) => replies.filter((reply) => reply.status === status));
    expect([created?.length, refused?.length]).toEqual([16, 8]);
    const { error } = refused?.[0]?.body ?? {};
    expect(error).toMatchObject({
      code: 'webhook_endpoint_limit',
      next_step: { type: 'read_resource', method: 'GET' },
    });
    const next = await get(`${world.service.url}${error.next_step.path}`, { key: surface.key() });
    expect(next.body.object).toBe('webhook_endpoint');
    await send('DELETE', at(surface, `/${created?.[0]?.body.id}`), { key: surface.key() });
    expect((await createdAt(surface, { url: receiver.url })).status).toBe(201);
  });

  test('have a secret that is stored nowhere as it is', async () => {
    const sent = { key: surface.key(), body: { url: receiver.url } };
    const { id, secret } = (await post(at(surface), sent)).body;
    const rotated = await post(at(surface, `/${id}/rotate_secret`), { ...sent, body: { overlap_seconds: 60 } });
    expect(rotated.body.secret).toMatch(SECRET);
    for (const plain of [secret, rotated.body.secret].map((one: string) => one.slice('whsec_'.length))) {
      for (const table of ['idempotency_keys', 'webhook_endpoints', 'ledger_webhook_endpoints', 'events']) {
        const text = `SELECT FROM ${table} row WHERE row::text LIKE '%' || $1 || '%'`;
        expect((await world.service.sql.query(text, [plain])).rows).toEqual([]);
      }
    }
  });

  test('test sends at once and returns the attempt, successful or not, and once for an idempotency key', async () => {
    const { id, secret } = await create(surface, { enabled: false });
    const sent = { key: surface.key(), idempotencyKey: `test-${surface.path}` };
    const tested = await post(at(surface, `/${id}/test`), sent);
    expect(tested.status).toBe(200);
    expect(tested.body).toEqual(attempt(1, 204, null, true, id));
    expect(isReplay(await post(at(surface, `/${id}/test`), sent))).toBe(true);
    expect(receiver.received).toHaveLength(1);
    const [message] = receiver.received as [Receiver['received'][number]];
    expect(isSignedBy(secret, message)).toBe(true);
    expect(JSON.parse(message.text)).toMatchObject({ id: message.id, type: 'webhook.test', ...surface.own });
    receiver.behave(answer(500));
    expect((await post(at(surface, `/${id}/test`), { key: surface.key() })).body).toEqual(
      attempt(1, 500, null, true, id),
    );
  });

  test('two tests of an endpoint run at once, and four of an owner; the next is refused', async () => {
    const held: ServerResponse[] = [];
    receiver.behave((response) => void held.push(response));
    const ids = [(await create(surface)).id, (await create(surface)).id, (await create(surface)).id];
    const testing = (id: string) => post(at(surface, `/${id}/test`), { key: surface.key() });
    const under: Promise<Reply>[] = [];
    const begin = async (id: string) => {
      under.push(testing(id));
      await until(() => receiver.received.length === under.length, 'it is sent');
    };
    const refused = async (id: string) => {
      const reply = await testing(id);
      expectError(reply, { status: 429, code: 'rate_limited' });
      expect(reply.headers.get('retry-after')).toBe('1');
    };
    const [one = '', two = '', three = ''] = ids;
    await begin(one);
    await begin(one);
    await refused(one);
    await begin(two);
    await begin(two);
    await refused(three);
    const other = await createTenant(world.service);
    const theirs = await post(at(MERCHANT), { key: other.test, body: { url: receiver.url } });
    under.push(post(at(MERCHANT, `/${theirs.body.id}/test`), { key: other.test }));
    await until(() => receiver.received.length === 5, 'another organization is not refused');
    for (const response of held) response.writeHead(204).end();
    for (const reply of await Promise.all(under)) expect(reply.body.status_code).toBe(204);
    receiver.behave(answer(204));
    expect((await testing(one)).body.status_code).toBe(204);
  });

  test('both secrets sign while a rotation overlaps', async () => {
    const { id, secret: old } = await create(surface, { events: ['checkout.session.created'] });
    const rotate = async (body: object) =>
      (await post(at(surface, `/${id}/rotate_secret`), { key: surface.key(), body })).body.secret;
    const next = async () => {
      const before = receiver.received.length;
      await createSession();
      await deliver(world.service);
      expect(receiver.received).toHaveLength(before + 1);
      return receiver.received.at(-1) as Receiver['received'][number];
    };
    const signers = async (...secrets: string[]) => {
      const message = await next();
      return secrets.map((secret) => isSignedBy(secret, message));
    };
    const second = await rotate({});
    expect(await signers(old, second)).toEqual([true, true]);
    world.clock.advance(DAY + 1);
    expect(await signers(old, second)).toEqual([false, true]);
    const third = await rotate({ overlap_seconds: 0 });
    expect(await signers(second, third)).toEqual([false, true]);
    const fourth = await rotate({ overlap_seconds: 604_800 });
    world.clock.advance(7 * DAY - 1_000);
    expect(await signers(third, fourth)).toEqual([true, true]);
    const refused = await post(at(surface, `/${id}/rotate_secret`), {
      key: surface.key(),
      body: { overlap_seconds: 604_801 },
    });
    expect(refused.body.error).toMatchObject({ code: 'invalid_param', param: 'overlap_seconds' });
  });
});

test('without a file descriptor a test is a 503, and a delivery is no attempt', async () => {
  const { resolve } = world.network;
  const full = Object.assign(new Error('open'), { code: 'EMFILE' });
  Object.assign(world.network, { resolve: () => Promise.reject(full) });
  const { id } = await create(MERCHANT, { url: receiver.url.replace('127.0.0.1', 'receiver.test') });
  expectError(await post(at(MERCHANT, `/${id}/test`), { key: shop.key }), {
    status: 503,
    code: 'service_unavailable',
  });
  const { id: session } = await createSession();
  await deliver(world.service);
  Object.assign(world.network, { resolve });
  const [event] = await shop.eventsOf(session);
  expect(await shop.deliveriesOf(event.id)).toEqual([]);
  world.clock.advance(HOUR);
  await deliver(world.service);
  expect(receiver.received.map((one) => one.id)).toEqual([event.id]);
});

test('an event goes once to each endpoint that subscribes to its type, with its bytes and secret', async () => {
  const all = await create(MERCHANT, { url: `${receiver.url}/all` });
  const refunds = await create(MERCHANT, { url: `${receiver.url}/refunds`, events: ['refund.created'] });
  await create(MERCHANT, { url: `${receiver.url}/off`, enabled: false });
  const session = await createSession();
  const payment = await shop.capture({ amount: 1000, checkout_session: session.id });
  const refund = (await shop.propose(payment, 1)).body;
  await deliver(world.service);
  await deliver(world.service);
  const [created] = await shop.eventsOf(session.id);
  const [proposed] = await shop.eventsOf(refund.id);
  expect(receiver.received).toHaveLength(5);
  const messages = receiver.received.filter(({ id }) => id === proposed.id);
  expect(messages).toHaveLength(2);
  for (const { secret } of [all, refunds]) expect(messages.filter((one) => isSignedBy(secret, one))).toHaveLength(1);
  for (const { text } of messages) expect(text).toBe(JSON.stringify(proposed));
  const deliveries = await shop.deliveriesOf(proposed.id);
  expect(deliveries).toHaveLength(2);
  expect(deliveries).toEqual(
    expect.arrayContaining([attempt(1, 204, null, true, all.id), attempt(1, 204, null, true, refunds.id)]),
  );
  const ofSession = await shop.deliveriesOf(created.id);
  expect(ofSession).toEqual([attempt(1, 204, null, true, all.id)]);
});

test('a notify_url still gets its events; an endpoint with the same URL gets them once', async () => {
  const { id, secret } = await create(MERCHANT);
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  expect(receiver.received.map((one) => [one.id, isSignedBy(secret, one)])).toEqual([[event, true]]);
  expect(await shop.deliveriesOf(event)).toEqual([attempt(1, 204, null, true, id)]);
  const other = await startReceiver();
  const { event: both } = await shop.notified(other.url);
  await deliver(world.service);
  expect([...other.received, ...receiver.received.slice(1)].map((one) => one.id)).toEqual([both, both]);
  expect(other.received.map((one) => isSignedBy(secret, one))).toEqual([false]);
  await other.close();
});

test('an event goes to the endpoints of its own organization and mode, however alike others are, and so does a resend', async () => {
  const [twin, stranger] = [await Shop.openTwin(world.service), await Shop.open(world.service)];
  const names: Record<string, string> = { [NO_ENDPOINT]: 'notify_url' };
  const give = async (name: string, by: Shop, path = 'both', surface = MERCHANT) => {
    const key = surface === LEDGER ? by.ledgerKey : by.key;
    const { id } = (await post(at(surface), { key, body: { url: `https://receiver.test/${path}` } })).body;
    names[uuidOf(id)] = name;
    return id;
  };
  for (const mode of MODES) {
    await give(`of ${mode}`, twin[mode]);
    await give(`of the ledger of ${mode}`, twin[mode], 'both', LEDGER);
  }
  await give('of a stranger', stranger);
  const only = await give('of live only', twin.live, 'one');
  expect((await twin.test.get(`/v1/webhook_endpoints/${only}`)).body.mode).toBe('live');
  const events = await Promise.all(MODES.map((mode) => twin[mode].notified('https://receiver.test/one')));
  const sent = async (mode: Mode) => {
    const [{ event }, text] = [
      events[MODES.indexOf(mode)] as { event: string },
      'SELECT endpoint_id AS id FROM webhook_deliveries WHERE event_id = $1',
    ];
    const { rows } = await world.service.sql.query(text, [uuidOf(event)]);
    const resent = (await twin[mode].post(`/v1/events/${event}/resend`)).body.deliveries;
    return [
      rows.map(({ id }) => names[id.replaceAll('-', '')]).sort(),
      resent
        .map(
          ({ webhook_endpoint: id }: { webhook_endpoint: string | null }) =>
            names[id === null ? NO_ENDPOINT : uuidOf(id)],
        )
        .sort(),
    ];
  };
  expect(await sent('test')).toEqual([
    ['notify_url', 'of test', 'of the ledger of test'],
    ['notify_url', 'of test'],
  ]);
  expect(await sent('live')).toEqual([
    ['of live', 'of live only', 'of the ledger of live'],
    ['of live', 'of live only'],
  ]);
});

test('an endpoint of live mode is disabled too when its attempts have failed for five days', async () => {
  const live = await shop.in('live', world.service);
  const { id } = (await live.post('/v1/webhook_endpoints', { url: 'https://receiver.test/' })).body;
  for (const days of [0, 5]) {
    world.clock.advance(days * DAY);
    await live.createSession();
    await deliver(world.service);
  }
  const disabled_reason = expect.stringMatching(/^All attempts have failed for 5 days/);
  expect((await live.get(`/v1/webhook_endpoints/${id}`)).body).toMatchObject({ enabled: false, disabled_reason });
});

test.each(['deleted', 'disabled'])('unfinished deliveries to an endpoint that is %s are canceled', async (how) => {
  receiver.behave(answer(500));
  const { id } = await create(MERCHANT);
  const session = await createSession();
  await deliver(world.service);
  expect(receiver.received).toHaveLength(1);
  if (how === 'deleted') await send('DELETE', at(MERCHANT, `/${id}`), { key: shop.key });
  else await post(at(MERCHANT, `/${id}`), { key: shop.key, body: { enabled: false } });
  const [created] = await shop.eventsOf(session.id);
  const ended = [attempt(1, 500, null, true, id)];
  expect(await shop.deliveriesOf(created.id)).toEqual(ended);
  await createSession();
  world.clock.advance(HOUR);
  await deliver(world.service);
  expect(receiver.received).toHaveLength(1);
  const { rows } = await world.service.sql.query(
    'SELECT outcome FROM webhook_deliveries WHERE next_attempt_at IS NULL',
  );
  expect(rows).toContainEqual({ outcome: 'canceled' });
  expect(await shop.deliveriesOf(created.id)).toEqual(ended);
});

test('a retry goes to the URL that the endpoint has by then', async () => {
  receiver.behave(answer(500));
  const { id } = await create(MERCHANT);
  await createSession();
  await deliver(world.service);
  const other = await startReceiver();
  await post(at(MERCHANT, `/${id}`), { key: shop.key, body: { url: other.url } });
  world.clock.advance(HOUR);
  await deliver(world.service);
  expect([receiver.received.length, other.received.length]).toEqual([1, 1]);
  await other.close();
});

test('an endpoint whose attempts have all failed for five days is disabled, says why, and can be enabled again', async () => {
  receiver.behave(answer(503));
  const { id } = await create(MERCHANT);
  const read = async () => (await get(at(MERCHANT, `/${id}`), { key: shop.key })).body;
  const fail = async () => {
    await createSession();
    await deliver(world.service);
  };
  await fail();
  world.clock.advance(5 * DAY - HOUR);
  await fail();
  expect(await read()).toMatchObject({ enabled: true, disabled_reason: null });
  // One that arrives begins the count anew.
  receiver.behave(answer(200));
  await fail();
  receiver.behave(answer(503));
  world.clock.advance(2 * HOUR);
  await fail();
  expect(await read()).toMatchObject({ enabled: true });
  world.clock.advance(5 * DAY);
  await fail();
  expect(await read()).toMatchObject({
    enabled: false,
    disabled_reason: 'All attempts have failed for 5 days. The last one: status 503.',
  });
  const before = receiver.received.length;
  await fail();
  world.clock.advance(DAY);
  await deliver(world.service);
  expect(receiver.received).toHaveLength(before);
  const enabled = await post(at(MERCHANT, `/${id}`), { key: shop.key, body: { enabled: true } });
  expect(enabled.body).toMatchObject({ enabled: true, disabled_reason: null });
  await fail();
  expect(receiver.received).toHaveLength(before + 1);
  expect(await read()).toMatchObject({ enabled: true });
});

test('an endpoint that was changed since an attempt began is not disabled by its failure', async () => {
  const { id } = await create(MERCHANT);
  const endpoints = world.service.application.get(WebhookEndpoints);
  const owner = { organization: shop.organization, mode: 'test' } as const;
  const [failingSince, disabledReason] = [Date.now() - 5 * 86_400_000, 'All attempts have failed.'];
  const found = { id, enabled: true, failingSince: null };
  await endpoints.recordHealth(owner, found, { failingSince, disabledReason: null });
  const changed = await shop.post(`/v1/webhook_endpoints/${id}`, { url: `${receiver.url}other` });
  await endpoints.recordHealth(owner, { ...found, failingSince }, { failingSince, disabledReason });
  expect((await shop.get(`/v1/webhook_endpoints/${id}`)).body).toEqual(changed.body);
  await endpoints.recordHealth(owner, found, { failingSince, disabledReason });
  expect((await shop.get(`/v1/webhook_endpoints/${id}`)).body.disabled_reason).toBe(disabledReason);
});

test('once endpoints are known, an event is sent to all of them right after the commit, without a poll', async () => {
  const other = await startReceiver();
  for (const surface of SURFACES) await create(surface);
  await create(MERCHANT, { url: other.url });
  await createSession();
  await deliver(world.service);
  const { application } = world.service;
  const looks = [
    jest.spyOn(application.get(WebhookScheduler), 'poll').mockResolvedValue(),
    jest.spyOn(application.get(Deliveries), 'due').mockResolvedValue({ found: [], next: undefined }),
  ];
  await createSession();
  await until(() => receiver.received.length === 4 && other.received.length === 2, 'all get it');
  for (const look of looks) look.mockRestore();
  await other.close();
});

test('a clock that is set back between commit and claim does not put off a first attempt', async () => {
  await create(MERCHANT);
  const scheduler = world.service.application.get(WebhookScheduler);
  const recorded = jest.spyOn(scheduler, 'recorded').mockReturnValue();
  const { event } = await shop.notified('http://localhost:40001/');
  world.clock.setBack(HOUR);
  await deliver(world.service);
  recorded.mockRestore();
  // A poll that began before the clock was set back may send it once more.
  expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([event]));
  expect(await shop.deliveriesOf(event)).toHaveLength(2);
  world.clock.advance(HOUR);
});

const moveClock = async (seconds: number) => {
  const body = { advance_seconds: seconds };
  expect((await post(`${world.service.url}/v1/test_helpers/clock`, { key: shop.key, body })).status).toBe(200);
};

test('an organization that moves its clock does not age the failures of the ledger’s endpoint', async () => {
  receiver.behave(answer(500));
  const { id } = await create(LEDGER, { events: ['checkout.session.created'] });
  for (const seconds of [1, (6 * DAY) / 1000]) {
    await createSession();
    await deliver(world.service);
    await moveClock(seconds);
  }
  expect(receiver.received).toHaveLength(2);
  const { body } = await get(at(LEDGER, `/${id}`), { key: ledger });
  expect(body).toMatchObject({ enabled: true, disabled_reason: null });
});

test('an organization that moves its clock neither uses up nor sees the attempts at the ledger’s endpoint', async () => {
  receiver.behave(answer(500));
  await create(LEDGER, { events: ['checkout.session.created'] });
  const session = await createSession();
  await deliver(world.service);
  for (let day = 0; day < 10; day++) await moveClock(DAY / 1000);
  expect(receiver.received).toHaveLength(1);
  world.clock.advance(10_000);
  receiver.behave(answer(204));
  await deliver(world.service);
  expect(receiver.received).toHaveLength(2);
  const [{ id }] = await shop.eventsOf(session.id);
  expect(await shop.deliveriesOf(id)).toEqual([]);
});
