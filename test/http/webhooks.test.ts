import { createServer } from 'node:https';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ManageOrganizations } from '../../src/modules/access/index.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { useShop } from '../kit/setup.js';
import { until } from '../support/processes.js';
import { answer, endless, hang, type Received, type Receiver, reset, startReceiver } from '../support/receiver.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { useWebhooks } from '../support/setup.js';
import { listen, startSockets } from '../support/sockets.js';
import { attempt, deliver, isSignedBy, PATIENT_MS, TIMEOUT_MS } from '../support/webhooks.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const world = useWebhooks();
const shop = useShop(world.service);
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

const secretsOf = () => world.service.application.get(ManageOrganizations).webhookSecrets(shop.organization);

test('delivers the event as it can be read, signed as standardwebhooks verifies it, and once', async () => {
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  await deliver(world.service);
  expect(receiver.received).toHaveLength(1);
  const [{ headers, text }] = receiver.received as [Received];
  const [secret = ''] = await secretsOf();
  const { deliveries, ...shown } = (await shop.get(`/v1/events/${event}`)).body;
  expect(new Webhook(secret).verify(text, headers)).toEqual(shown);
  expect(text).toBe(JSON.stringify(shown));
  expect(headers).toMatchObject({ 'webhook-id': event, 'content-type': 'application/json', 'user-agent': 'Tillgate' });
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

test('a first attempt is made right after the commit, without a poll', async () => {
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

describe('the response of a receiver decides', () => {
  const timeout = `No response within ${TIMEOUT_MS} ms.`;

  test.each([
    ['200', answer(200), 200, null, true],
    ['202', answer(202), 202, null, true],
    ['299', answer(299), 299, null, true],
    ['410', answer(410), 410, null, true],
    ['500', answer(500), 500, null, false],
    ['404', answer(404), 404, null, false],
    ['a redirect', answer(302, { location: '/elsewhere' }), 302, 'Redirects are not followed.', false],
    ['a gigabyte', endless, 200, null, true],
    ['a hang', hang, null, timeout, false],
    ['a reset', reset, null, 'ECONNRESET', false],
  ] as const)('%s', async (_, behavior, status, error, isLast) => {
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
  });

  test('a certificate nobody signed', async () => {
    const server = createServer(SELF_SIGNED, (_request, response) => response.end());
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const { event } = await shop.notified(url);
    await deliver(world.service);
    expect(await shop.deliveriesOf(event)).toEqual([attempt(1, null, 'DEPTH_ZERO_SELF_SIGNED_CERT', false)]);
    server.close();
  });

  test('something that does not speak TLS, or HTTP', async () => {
    const server = await startSockets((socket) => socket.end('Good day.\r\n\r\n'));
    const errors = { https: expect.stringMatching(/^[A-Z_]+$/), http: 'The response is not HTTP/1.1.' };
    for (const [scheme, error] of Object.entries(errors)) {
      const { event } = await shop.notified(`${scheme}://${server.host}/`);
      await deliver(world.service);
      expect(await shop.deliveriesOf(event)).toEqual([attempt(1, null, error, false)]);
    }
    server.close();
  });

  test('429 with Retry-After puts it off for as long', async () => {
    receiver.behave(answer(429, { 'retry-after': '600' }));
    const { event } = await shop.notified(receiver.url);
    await deliver(world.service);
    world.clock.advance(9 * MINUTE);
    await deliver(world.service);
    expect(receiver.received).toHaveLength(1);
    world.clock.advance(2 * MINUTE);
    receiver.behave(answer(200));
    await deliver(world.service);
    expect(await shop.deliveriesOf(event)).toEqual([attempt(1, 429, null, false), attempt(2, 200, null, true)]);
  });
});

test('signs with both secrets for a day after a rotation', async () => {
  const [old = ''] = await secretsOf();
  const { secret } = await world.service.application.get(ManageOrganizations).rotateWebhookSecret(shop.organization);
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
