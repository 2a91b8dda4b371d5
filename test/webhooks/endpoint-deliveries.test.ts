/** An event is sent to each endpoint that subscribes to it, once and right after the commit. */
import { expect, jest, test } from '@jest/globals';
import { DeliveryQueue } from '../../src/modules/webhooks/application/ports.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { expectError } from '../support/envelope.js';
import { until } from '../support/processes.js';
import { answer, startReceiver } from '../support/receiver.js';
import { HOUR, LEDGER, MERCHANT, useEndpoints } from '../support/webhook-endpoints.js';
import { attempt, deliver, isSignedBy } from '../support/webhooks.js';

const endpoints = useEndpoints();
const { world, shop, receiver } = endpoints;

test('answers a test with 503 and counts no attempt without a free file descriptor', async () => {
  const { resolve } = world.network;
  const full = Object.assign(new Error('open'), { code: 'EMFILE' });
  Object.assign(world.network, { resolve: () => Promise.reject(full) });
  const { id } = await endpoints.create(MERCHANT, {
    url: receiver.url.replace('127.0.0.1', 'receiver.test'),
  });
  expectError(await endpoints.call(MERCHANT, `/${id}/test`), {
    status: 503,
    code: 'service_unavailable',
  });
  const event = await endpoints.createdEvent();
  await deliver(world.service);
  Object.assign(world.network, { resolve });
  expect(await shop.deliveriesOf(event)).toEqual([]);
  world.clock.advance(HOUR);
  await deliver(world.service);
  expect(receiver.received.map((one) => one.id)).toEqual([event]);
});

test('sends an event once to each endpoint that subscribes to its type, with its bytes and secret', async () => {
  const all = await endpoints.create(MERCHANT, { url: `${receiver.url}/all` });
  const refunds = await endpoints.create(MERCHANT, {
    url: `${receiver.url}/refunds`,
    events: ['refund.created'],
  });
  await endpoints.create(MERCHANT, { url: `${receiver.url}/off`, enabled: false });
  const session = await endpoints.createSession();
  const payment = await shop.capture({ amount: 1000, checkout_session: session.id });
  const refund = (await shop.propose(payment, 1)).body;
  await deliver(world.service);
  await deliver(world.service);
  const [[created], [proposed]] = [await shop.eventsOf(session.id), await shop.eventsOf(refund.id)];
  expect(receiver.received).toHaveLength(5);
  const messages = receiver.received.filter(({ id }) => id === proposed.id);
  expect(messages).toHaveLength(2);
  for (const { secret } of [all, refunds])
    expect(messages.filter((one) => isSignedBy(secret, one))).toHaveLength(1);
  for (const { text } of messages) expect(text).toBe(JSON.stringify(proposed));
  const deliveries = await shop.deliveriesOf(proposed.id);
  expect(deliveries).toHaveLength(2);
  for (const { id } of [all, refunds])
    expect(deliveries).toContainEqual(attempt(1, 204, null, true, id));
  expect(await shop.deliveriesOf(created.id)).toEqual([attempt(1, 204, null, true, all.id)]);
});

test('sends events to a notify_url too, and once to an endpoint with the same URL', async () => {
  const { id, secret } = await endpoints.create(MERCHANT);
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  expect(receiver.received.map((one) => [one.id, isSignedBy(secret, one)])).toEqual([
    [event, true],
  ]);
  expect(await shop.deliveriesOf(event)).toEqual([attempt(1, 204, null, true, id)]);
  const other = await startReceiver();
  const { event: both } = await shop.notified(other.url);
  await deliver(world.service);
  expect([...other.received, ...receiver.received.slice(1)].map((one) => one.id)).toEqual([
    both,
    both,
  ]);
  expect(other.received.map((one) => isSignedBy(secret, one))).toEqual([false]);
  await other.close();
});

test.each(['deleted', 'disabled'])(
  'cancels unfinished deliveries to an endpoint that is %s',
  async (how) => {
    receiver.behave(answer(500));
    const { id } = await endpoints.create(MERCHANT);
    const event = await endpoints.createdEvent();
    await deliver(world.service);
    expect(receiver.received).toHaveLength(1);
    if (how === 'deleted') await endpoints.remove(MERCHANT, id);
    else await endpoints.call(MERCHANT, `/${id}`, { enabled: false });
    const ended = [attempt(1, 500, null, true, id)];
    expect(await shop.deliveriesOf(event)).toEqual(ended);
    await endpoints.createSession();
    world.clock.advance(HOUR);
    await deliver(world.service);
    expect(receiver.received).toHaveLength(1);
    const outcomes = 'SELECT outcome FROM webhook_deliveries WHERE next_attempt_at IS NULL';
    expect((await world.service.sql.query(outcomes)).rows).toContainEqual({ outcome: 'canceled' });
    expect(await shop.deliveriesOf(event)).toEqual(ended);
  },
);

test("sends a retry to the endpoint's new URL", async () => {
  receiver.behave(answer(500));
  const { id } = await endpoints.create(MERCHANT);
  await endpoints.createSession();
  await deliver(world.service);
  const other = await startReceiver();
  await endpoints.call(MERCHANT, `/${id}`, { url: other.url });
  world.clock.advance(HOUR);
  await deliver(world.service);
  expect([receiver.received.length, other.received.length]).toEqual([1, 1]);
  await other.close();
});

test('sends an event to all known endpoints right after the commit, without a poll', async () => {
  const other = await startReceiver();
  for (const surface of [MERCHANT, LEDGER]) await endpoints.create(surface);
  await endpoints.create(MERCHANT, { url: other.url });
  await endpoints.createSession();
  await deliver(world.service);
  const { application } = world.service;
  const looks = [
    jest.spyOn(application.get(WebhookScheduler), 'poll').mockResolvedValue(),
    jest
      .spyOn(application.get(DeliveryQueue), 'due')
      .mockResolvedValue({ found: [], next: undefined }),
  ];
  await endpoints.createSession();
  await until(() => receiver.received.length === 4 && other.received.length === 2, 'all get it');
  for (const look of looks) look.mockRestore();
  await other.close();
});

test('does not put off a first attempt when the clock is set back between commit and claim', async () => {
  await endpoints.create(MERCHANT);
  const scheduler = world.service.application.get(WebhookScheduler);
  const recorded = jest.spyOn(scheduler, 'recorded').mockReturnValue();
  const { event } = await shop.notified('http://localhost:40001/');
  world.clock.setBack(HOUR);
  await deliver(world.service);
  recorded.mockRestore();
  // A poll that began before the clock was set back may send the event once more.
  expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([event]));
  expect(await shop.deliveriesOf(event)).toHaveLength(2);
  world.clock.advance(HOUR);
});
