import { createServer } from 'node:https';
import { describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ManageOrganizations } from '../../src/modules/access/index.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { isReplay, type Reply, send } from '../support/client.js';
import { expectError, readResource } from '../support/envelope.js';
import { overtaken } from '../support/holder.js';
import { until } from '../support/processes.js';
import { answer, endless, hang, type Received, reset, startReceiver } from '../support/receiver.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { useReceiver, useWebhooks } from '../support/setup.js';
import { listen, startSockets } from '../support/sockets.js';
import { committed } from '../support/units.js';
import { attempt, deliver, isSignedBy, PATIENT_MS, TIMEOUT_MS } from '../support/webhooks.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const world = useWebhooks();
const shop = useShop(world.service);
const receiver = useReceiver();

const secretsOf = () =>
  world.service.application.get(ManageOrganizations).webhookSecrets(shop.organization);

test('delivers an event once, as it can be read, with a signature that standardwebhooks accepts', async () => {
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  await deliver(world.service);
  expect(receiver.received).toHaveLength(1);
  const [{ headers, text }] = receiver.received as [Received];
  const [secret = ''] = await secretsOf();
  const { deliveries, ...shown } = (await shop.get(`/v1/events/${event}`)).body;
  expect(new Webhook(secret).verify(text, headers)).toEqual(shown);
  expect(text).toBe(JSON.stringify(shown));
  expect(headers).toMatchObject({
    'webhook-id': event,
    'content-type': 'application/json',
    'user-agent': 'Tillgate',
  });
  expect(deliveries).toEqual([attempt(1, 204, null, true)]);
});

test('sends each change of a session and its refunds, and nothing for payments without a session', async () => {
  const { session } = await shop.notified(receiver.url);
  const payment = await shop.capture({ amount: 1000, checkout_session: session });
  await shop.propose(await shop.capture({ amount: 1000 }), 1);
  const [succeeding, canceling] = [await shop.propose(payment, 1), await shop.propose(payment, 2)];
  await shop.succeed(succeeding.body.id);
  await shop.cancel(canceling.body.id);
  await deliver(world.service);
  const events = receiver.received.map(({ text }) => JSON.parse(text));
  expect(events.map(({ type, sequence }) => `${type} ${sequence}`).sort()).toEqual([
    'checkout.session.completed 2',
    'checkout.session.created 1',
    'payment.created 1',
    'refund.canceled 2',
    'refund.created 1',
    'refund.created 1',
    'refund.succeeded 2',
  ]);
});

test('makes a first attempt right after the commit, without a poll', async () => {
  const { session } = await shop.notified(receiver.url);
  const payment = await shop.capture({ amount: 1000, checkout_session: session });
  await deliver(world.service);
  const scheduler = world.service.application.get(WebhookScheduler);
  const look = jest.spyOn(scheduler, 'poll').mockResolvedValue();
  const before = receiver.received.length;
  await shop.propose(payment, 1);
  await until(() => receiver.received.length === before + 1, 'the webhook of the refund comes');
  look.mockRestore();
});

describe('an attempt', () => {
  const timeout = `No response within ${TIMEOUT_MS} ms.`;

  test.each([
    ['200', answer(200), 200, null, true],
    ['202', answer(202), 202, null, true],
    ['299', answer(299), 299, null, true],
    ['410', answer(410), 410, null, true],
    ['500', answer(500), 500, null, false],
    ['404', answer(404), 404, null, false],
    [
      'a redirect',
      answer(302, { location: '/elsewhere' }),
      302,
      'Redirects are not followed.',
      false,
    ],
    ['a gigabyte', endless, 200, null, true],
    ['a hang', hang, null, timeout, false],
    ['a reset', reset, null, 'ECONNRESET', false],
  ] as const)(
    'ends the delivery or is repeated after %s',
    async (_, behavior, status, error, isLast) => {
      receiver.behave(behavior);
      world.network.timeoutMs = behavior === hang ? TIMEOUT_MS : PATIENT_MS;
      const { event } = await shop.notified(receiver.url);
      await deliver(world.service);
      expect(await shop.deliveriesOf(event)).toEqual([attempt(1, status, error, isLast)]);
      world.clock.advance(4_000);
      await deliver(world.service);
      expect(receiver.received).toHaveLength(1);
      world.clock.advance(2_000);
      await deliver(world.service);
      expect(receiver.received.map(({ id }) => id)).toEqual(isLast ? [event] : [event, event]);
      expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    },
  );

  test('fails at a certificate that nobody signed', async () => {
    const server = createServer(SELF_SIGNED, (_request, response) => response.end());
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const { event } = await shop.notified(url);
    await deliver(world.service);
    expect(await shop.deliveriesOf(event)).toEqual([
      attempt(1, null, 'DEPTH_ZERO_SELF_SIGNED_CERT', false),
    ]);
    server.close();
  });

  test('fails at a server that speaks neither TLS nor HTTP', async () => {
    const server = await startSockets((socket) => socket.end('Good day.\r\n\r\n'));
    const errors = {
      https: expect.stringMatching(/^[A-Z_]+$/),
      http: 'The response is not HTTP/1.1.',
    };
    for (const [scheme, error] of Object.entries(errors)) {
      const { event } = await shop.notified(`${scheme}://${server.host}/`);
      await deliver(world.service);
      expect(await shop.deliveriesOf(event)).toEqual([attempt(1, null, error, false)]);
    }
    server.close();
  });

  test('is put off by 429 with Retry-After for as long as it says', async () => {
    receiver.behave(answer(429, { 'retry-after': '600' }));
    const { event } = await shop.notified(receiver.url);
    await deliver(world.service);
    world.clock.advance(9 * MINUTE);
    await deliver(world.service);
    expect(receiver.received).toHaveLength(1);
    world.clock.advance(2 * MINUTE);
    receiver.behave(answer(200));
    await deliver(world.service);
    expect(await shop.deliveriesOf(event)).toEqual([
      attempt(1, 429, null, false),
      attempt(2, 200, null, true),
    ]);
  });
});

test('signs with both secrets for a day after a rotation', async () => {
  const [old = ''] = await secretsOf();
  const manage = world.service.application.get(ManageOrganizations);
  const { secret } = await committed(world.service, (unit) =>
    manage.rotateWebhookSecret(unit, shop.organization),
  );
  expect(await secretsOf()).toEqual([secret, old]);
  const signers = async () => {
    await shop.notified(receiver.url);
    await deliver(world.service);
    return [old, secret].map((one) => isSignedBy(one, receiver.received.at(-1) as Received));
  };
  expect(await signers()).toEqual([true, true]);
  world.clock.advance(24 * HOUR + 1);
  expect(await signers()).toEqual([false, true]);
});

describe('an event that is sent again', () => {
  const LIMIT = { status: 422, code: 'resend_limit' } as const;
  const resend = (event: string, body?: object, key?: string) =>
    shop.post(`/v1/events/${event}/resend`, body, key);
  const createEndpoint = async (body: object): Promise<string> =>
    (await shop.post('/v1/webhook_endpoints', { url: receiver.url, ...body })).body.id;
  const createdEvent = async (): Promise<string> =>
    (await shop.eventsOf((await shop.createSession()).body.id))[0].id;

  test('goes at once to every endpoint that now subscribes to its type, and to the notify_url', async () => {
    const other = await startReceiver();
    const { event } = await shop.notified(other.url);
    await until(() => other.received.length === 1, 'it comes');
    await deliver(world.service);
    const id = await createEndpoint({ events: ['checkout.session.created'] });
    await createEndpoint({ url: `${receiver.url}/refunds`, events: ['refund.created'] });
    const resent = await resend(event);
    expect(resent.status).toBe(200);
    const { deliveries, ...shown } = resent.body;
    const due = { next_attempt_at: expect.any(Number) };
    expect(deliveries).toEqual([
      { webhook_endpoint: id, attempt: 1, ...due },
      { webhook_endpoint: null, attempt: 2, ...due },
    ]);
    await until(() => receiver.received.length === 1 && other.received.length === 2, 'both come');
    await deliver(world.service);
    expect(receiver.received.map(({ text }) => text)).toEqual([JSON.stringify(shown)]);
    const attempts = [
      attempt(1, 204, null, true),
      attempt(2, 204, null, true),
      attempt(1, 204, null, true, id),
    ];
    expect(await shop.deliveriesOf(event)).toEqual(expect.arrayContaining(attempts));
    await other.close();
  });

  test('goes to one endpoint, whatever its types, and once for an idempotency key', async () => {
    const event = await createdEvent();
    const id = await createEndpoint({ events: ['refund.created'] });
    await createEndpoint({ url: `${receiver.url}/other` });
    const resent = await resend(event, { webhook_endpoint: id }, 'resend-once');
    const again = await resend(event, { webhook_endpoint: id }, 'resend-once');
    expect([resent.status, isReplay(again), again.text]).toEqual([200, true, resent.text]);
    await until(() => receiver.received.length === 1, 'it comes');
    await deliver(world.service);
    expect(receiver.received.map((one) => one.id)).toEqual([event]);
  });

  test('is not sent again after 100 attempts, and shows the last 20 of each delivery', async () => {
    const { event } = await shop.notified(receiver.url);
    await deliver(world.service);
    const other = await startReceiver();
    const id = await createEndpoint({ url: other.url });
    await world.service.sql.query(
      'UPDATE webhook_deliveries SET attempts = 97 WHERE event_id = $1',
      [uuidOf(event)],
    );
    await world.service.sql.query(
      `INSERT INTO webhook_attempts (organization_id, mode, event_id, attempt, attempted_at, status_code, duration_ms)
        SELECT organization_id, mode, event_id, number, attempted_at, 500, 1
        FROM webhook_attempts CROSS JOIN generate_series(2, 97) AS number WHERE event_id = $1`,
      [uuidOf(event)],
    );
    for (const number of [98, 99, 100]) {
      expect((await resend(event)).body.deliveries).toContainEqual(
        expect.objectContaining({ attempt: number }),
      );
      await deliver(world.service);
    }
    expect((await resend(event)).body.deliveries).toMatchObject([
      { webhook_endpoint: id, attempt: 4 },
    ]);
    await deliver(world.service);
    const deliveries: Reply['body'][] = await shop.deliveriesOf(event);
    const numbersOf = (endpoint: string | null) =>
      deliveries.filter((one) => one.webhook_endpoint === endpoint).map(({ attempt }) => attempt);
    expect([numbersOf(null), numbersOf(id)]).toEqual([
      Array.from({ length: 20 }, (_, at) => at + 81),
      [1, 2, 3, 4],
    ]);
    await send('DELETE', `${world.service.url}/v1/webhook_endpoints/${id}`, { key: shop.key });
    expectError(await resend(event), { ...LIMIT, nextStep: readResource(`/v1/events/${event}`) });
    expect(receiver.received).toHaveLength(4);
    await other.close();
  });

  test('waits for an attempt that begins, which may be the last one', async () => {
    const { event } = await shop.notified(receiver.url);
    await deliver(world.service);
    const last = [
      'UPDATE webhook_deliveries SET attempts = 100 WHERE event_id = $1',
      uuidOf(event),
    ] as const;
    const resent = await overtaken(world.service, last, () => resend(event));
    expectError(resent, LIMIT);
  });

  test('needs a recipient that is not disabled', async () => {
    const event = await createdEvent();
    const message = expect.stringContaining('has no recipient');
    expect((await resend(event)).body.error).toMatchObject({ code: 'not_found', message });
    const webhook_endpoint = await createEndpoint({ enabled: false });
    const disabled = await resend(event, { webhook_endpoint });
    expect(disabled.body.error).toMatchObject({ code: 'not_found', param: 'webhook_endpoint' });
  });
});
