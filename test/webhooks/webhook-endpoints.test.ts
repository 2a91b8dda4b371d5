/** Endpoints are made and changed, hear the events of their owner and mode, and are disabled. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { WebhookEndpoints } from '../../src/modules/webhooks/application/ports.js';
import { MODES, type Mode } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { atOnce, isReplay, type Reply } from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { until } from '../support/processes.js';
import { answer, type Received } from '../support/receiver.js';
import { Shop } from '../support/shop.js';
import {
  DAY,
  HOUR,
  LEDGER,
  MERCHANT,
  SECURE_URL,
  useEndpoints,
} from '../support/webhook-endpoints.js';
import { attempt, deliver, isSignedBy } from '../support/webhooks.js';

const NO_ENDPOINT = '0'.repeat(32);
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const endpoints = useEndpoints();
const { world, shop, receiver } = endpoints;

describe.each([MERCHANT, LEDGER])('endpoints of $name', (surface) => {
  test('number sixteen at most in a mode, however many are created at once', async () => {
    const replies = await atOnce(24, () => endpoints.call(surface, '', { url: receiver.url }));
    const [created = [], refused = []] = [201, 422].map((code) =>
      replies.filter(({ status }) => status === code),
    );
    expect([created.length, refused.length]).toEqual([16, 8]);
    const { code, next_step } = refused[0]?.body.error ?? {};
    const ids = created.map(({ body }) => body.id);
    expect([code, next_step.type]).toEqual(['webhook_endpoint_limit', 'read_resource']);
    expect(ids).toContain(next_step.path.split('/').at(-1));
    await endpoints.remove(surface, ids[0]);
    expect((await endpoints.call(surface, '', { url: receiver.url })).status).toBe(201);
    const live = await shop.in('live', world.service);
    expect((await endpoints.call(surface, '', { url: SECURE_URL }, undefined, live)).status).toBe(
      201,
    );
  });

  test.each(['url', 'events', 'enabled'])(
    'keep their %s, which null does not clear',
    async (field) => {
      const { id } = await endpoints.create(surface);
      const before = await endpoints.read(surface, id);
      expectInvalid(await endpoints.call(surface, `/${id}`, { [field]: null }), [
        field,
        'invalid_type',
      ]);
      expect(await endpoints.read(surface, id)).toEqual(before);
    },
  );

  test('have a secret that is stored nowhere in plain text', async () => {
    const { id, secret } = await endpoints.create(surface);
    const rotated = await endpoints.call(surface, `/${id}/rotate_secret`, { overlap_seconds: 60 });
    expect(rotated.body.secret).toMatch(SECRET);
    for (const plain of [secret, rotated.body.secret].map((one: string) =>
      one.slice('whsec_'.length),
    )) {
      for (const table of [
        'idempotency_keys',
        'webhook_endpoints',
        'ledger_webhook_endpoints',
        'events',
      ]) {
        const text = `SELECT FROM ${table} row WHERE row::text LIKE '%' || $1 || '%'`;
        expect((await world.service.sql.query(text, [plain])).rows).toEqual([]);
      }
    }
  });

  test('send a test at once, once for an idempotency key, and return the attempt, good or bad', async () => {
    const { id, secret } = await endpoints.create(surface, { enabled: false });
    const tested = await endpoints.call(surface, `/${id}/test`, undefined, 'once');
    expect([tested.status, tested.body]).toEqual([200, attempt(1, 204, null, true, id)]);
    expect(isReplay(await endpoints.call(surface, `/${id}/test`, undefined, 'once'))).toBe(true);
    expect(receiver.received).toHaveLength(1);
    const [message] = receiver.received as [Received];
    expect(isSignedBy(secret, message)).toBe(true);
    const own = surface.isLedger ? { organization: null } : {};
    expect(JSON.parse(message.text)).toMatchObject({
      id: message.id,
      type: 'webhook.test',
      ...own,
    });
    receiver.behave(answer(500));
    expect((await endpoints.call(surface, `/${id}/test`)).body).toEqual(
      attempt(1, 500, null, true, id),
    );
  });

  test('run two tests of an endpoint and four of an owner at once, and refuse the next', async () => {
    const held: ServerResponse[] = [];
    receiver.behave((response) => void held.push(response));
    const [one, two, three] = [
      (await endpoints.create(surface)).id,
      (await endpoints.create(surface)).id,
      (await endpoints.create(surface)).id,
    ];
    const testing = (id: string) => endpoints.call(surface, `/${id}/test`);
    const under: Promise<Reply>[] = [];
    const begin = async (tested: Promise<Reply>) => {
      under.push(tested);
      await until(() => receiver.received.length === under.length, 'it is sent');
    };
    const refused = async (id: string) => {
      const reply = await testing(id);
      expectError(reply, { status: 429, code: 'rate_limited' });
      expect(reply.headers.get('retry-after')).toBe('1');
    };
    for (let times = 0; times < 2; times++) await begin(testing(one));
    await refused(one);
    for (let times = 0; times < 2; times++) await begin(testing(two));
    await refused(three);
    const other = await Shop.open(world.service);
    const { id: theirs } = (await other.post(MERCHANT.path, { url: receiver.url })).body;
    await begin(other.post(`${MERCHANT.path}/${theirs}/test`));
    for (const response of held) response.writeHead(204).end();
    for (const reply of await Promise.all(under)) expect(reply.body.status_code).toBe(204);
    receiver.behave(answer(204));
    expect((await testing(one)).body.status_code).toBe(204);
  });

  test('sign with both secrets while a rotation overlaps', async () => {
    const { id, secret: first } = await endpoints.create(surface, {
      events: ['checkout.session.created'],
    });
    const rotate = async (body: object) =>
      (await endpoints.call(surface, `/${id}/rotate_secret`, body)).body.secret;
    const signers = async (...secrets: string[]) => {
      const before = receiver.received.length;
      await endpoints.createSession();
      await deliver(world.service);
      expect(receiver.received).toHaveLength(before + 1);
      return secrets.map((secret) => isSignedBy(secret, receiver.received.at(-1) as Received));
    };
    const second = await rotate({});
    expect(await signers(first, second)).toEqual([true, true]);
    world.clock.advance(DAY + 1);
    expect(await signers(first, second)).toEqual([false, true]);
    const third = await rotate({ overlap_seconds: 0 });
    expect(await signers(second, third)).toEqual([false, true]);
    const fourth = await rotate({ overlap_seconds: 604_800 });
    world.clock.advance(7 * DAY - 1_000);
    expect(await signers(third, fourth)).toEqual([true, true]);
  });
});

test('sends and resends an event only to endpoints of its own organization and mode', async () => {
  const [twin, stranger] = [await Shop.openTwin(world.service), await Shop.open(world.service)];
  const names: Record<string, string> = { [NO_ENDPOINT]: 'notify_url' };
  const give = async (name: string, by: Shop, path = 'both', surface = MERCHANT) => {
    const { id } = (
      await endpoints.call(surface, '', { url: `https://receiver.test/${path}` }, undefined, by)
    ).body;
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
  const events = await Promise.all(
    MODES.map((mode) => twin[mode].notified('https://receiver.test/one')),
  );
  const sent = async (mode: Mode) => {
    const event = events[MODES.indexOf(mode)]?.event ?? '';
    const text = 'SELECT endpoint_id AS id FROM webhook_deliveries WHERE event_id = $1';
    const { rows } = await world.service.sql.query(text, [uuidOf(event)]);
    const resent: Reply['body'][] = (await twin[mode].post(`/v1/events/${event}/resend`)).body
      .deliveries;
    const ids = resent.map(({ webhook_endpoint: id }) => (id === null ? NO_ENDPOINT : uuidOf(id)));
    return [rows.map(({ id }) => id.replaceAll('-', '')), ids].map((found) =>
      found.map((id) => names[id]).sort(),
    );
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

test('disables an endpoint of live mode too when its attempts have failed for five days', async () => {
  const live = await shop.in('live', world.service);
  const { id } = (await live.post('/v1/webhook_endpoints', { url: 'https://receiver.test/' })).body;
  for (const days of [0, 5]) {
    world.clock.advance(days * DAY);
    await live.createSession();
    await deliver(world.service);
  }
  const disabled_reason = expect.stringMatching(/^All attempts have failed for 5 days/);
  expect((await live.get(`/v1/webhook_endpoints/${id}`)).body).toMatchObject({
    enabled: false,
    disabled_reason,
  });
});

test('disables an endpoint after five days of failures, says why, and can enable it again', async () => {
  receiver.behave(answer(503));
  const { id } = await endpoints.create(MERCHANT);
  const fail = async () => {
    await endpoints.createSession();
    await deliver(world.service);
  };
  await fail();
  world.clock.advance(5 * DAY - HOUR);
  await fail();
  expect(await endpoints.read(MERCHANT, id)).toMatchObject({
    enabled: true,
    disabled_reason: null,
  });
  // An attempt that succeeds starts the count anew.
  receiver.behave(answer(200));
  await fail();
  receiver.behave(answer(503));
  world.clock.advance(2 * HOUR);
  await fail();
  expect(await endpoints.read(MERCHANT, id)).toMatchObject({ enabled: true });
  world.clock.advance(5 * DAY);
  await fail();
  expect(await endpoints.read(MERCHANT, id)).toMatchObject({
    enabled: false,
    disabled_reason: 'All attempts have failed for 5 days. The last one: status 503.',
  });
  const before = receiver.received.length;
  await fail();
  world.clock.advance(DAY);
  await deliver(world.service);
  expect(receiver.received).toHaveLength(before);
  const enabled = await endpoints.call(MERCHANT, `/${id}`, { enabled: true });
  expect(enabled.body).toMatchObject({ enabled: true, disabled_reason: null });
  await fail();
  expect(receiver.received).toHaveLength(before + 1);
  expect(await endpoints.read(MERCHANT, id)).toMatchObject({ enabled: true });
});

test('does not disable an endpoint by the failure of an attempt that began before a change', async () => {
  const { id } = await endpoints.create(MERCHANT);
  const stored = world.service.application.get(WebhookEndpoints);
  const owner = { organization: shop.organization, mode: 'test' } as const;
  const [failingSince, disabledReason] = [Date.now() - 5 * 86_400_000, 'All attempts have failed.'];
  const found = { id, enabled: true, failingSince: null };
  await stored.recordHealth(owner, found, { failingSince, disabledReason: null });
  const changed = await shop.post(`/v1/webhook_endpoints/${id}`, { url: `${receiver.url}other` });
  await stored.recordHealth(owner, { ...found, failingSince }, { failingSince, disabledReason });
  expect((await shop.get(`/v1/webhook_endpoints/${id}`)).body).toEqual(changed.body);
  await stored.recordHealth(owner, found, { failingSince, disabledReason });
  expect((await shop.get(`/v1/webhook_endpoints/${id}`)).body.disabled_reason).toBe(disabledReason);
});

test("keeps a moved clock away from the attempts at the ledger's endpoint", async () => {
  receiver.behave(answer(500));
  const { id } = await endpoints.create(LEDGER, { events: ['checkout.session.created'] });
  const event = await endpoints.createdEvent();
  await deliver(world.service);
  for (let day = 0; day < 10; day++)
    await shop.post('/v1/test_helpers/clock', { advance_seconds: DAY / 1000 });
  expect(receiver.received).toHaveLength(1);
  await endpoints.createSession();
  await deliver(world.service);
  expect(await endpoints.read(LEDGER, id)).toMatchObject({ enabled: true, disabled_reason: null });
  world.clock.advance(10_000);
  receiver.behave(answer(204));
  await deliver(world.service);
  expect(receiver.received).toHaveLength(4);
  expect(await shop.deliveriesOf(event)).toEqual([]);
});
