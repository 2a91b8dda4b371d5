import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useShop } from '../kit/setup.js';
import { isReplay, type Reply, send } from '../support/client.js';
import { expectError, readResource } from '../support/envelope.js';
import { overtaken } from '../support/holder.js';
import { until } from '../support/processes.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { useWebhooks } from '../support/setup.js';
import { attempt, deliver } from '../support/webhooks.js';

const LIMIT = { status: 422, code: 'resend_limit' } as const;

const world = useWebhooks();
const shop = useShop(world.service);
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

const resend = (event: string, body?: object, key?: string) => shop.post(`/v1/events/${event}/resend`, body, key);
const createEndpoint = async (body: object): Promise<string> =>
  (await shop.post('/v1/webhook_endpoints', { url: receiver.url, ...body })).body.id;
const createdEvent = async (): Promise<string> => (await shop.eventsOf((await shop.createSession()).body.id))[0].id;

test('resends at once to every endpoint that now subscribes to the type and to the notify_url', async () => {
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
  const attempts = [attempt(1, 204, null, true), attempt(2, 204, null, true), attempt(1, 204, null, true, id)];
  expect(await shop.deliveriesOf(event)).toEqual(expect.arrayContaining(attempts));
  await other.close();
});

test('resends to one endpoint, whatever its types, and once for an idempotency key', async () => {
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

test('a delivery with 100 attempts is sent no more, and the event shows the last 20 of each delivery', async () => {
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  const other = await startReceiver();
  const id = await createEndpoint({ url: other.url });
  await world.service.sql.query('UPDATE webhook_deliveries SET attempts = 97 WHERE event_id = $1', [uuidOf(event)]);
  await world.service.sql.query(
    `INSERT INTO webhook_attempts (organization_id, mode, event_id, attempt, attempted_at, status_code, duration_ms)
      SELECT organization_id, mode, event_id, number, attempted_at, 500, 1
      FROM webhook_attempts CROSS JOIN generate_series(2, 97) AS number WHERE event_id = $1`,
    [uuidOf(event)],
  );
  for (const number of [98, 99, 100]) {
    expect((await resend(event)).body.deliveries).toContainEqual(expect.objectContaining({ attempt: number }));
    await deliver(world.service);
  }
  expect((await resend(event)).body.deliveries).toMatchObject([{ webhook_endpoint: id, attempt: 4 }]);
  await deliver(world.service);
  const deliveries: Reply['body'][] = await shop.deliveriesOf(event);
  const numbersOf = (endpoint: string | null) =>
    deliveries.filter((one) => one.webhook_endpoint === endpoint).map(({ attempt }) => attempt);
  expect([numbersOf(null), numbersOf(id)]).toEqual([Array.from({ length: 20 }, (_, at) => at + 81), [1, 2, 3, 4]]);
  await send('DELETE', `${world.service.url}/v1/webhook_endpoints/${id}`, { key: shop.key });
  expectError(await resend(event), { ...LIMIT, nextStep: readResource(`/v1/events/${event}`) });
  expect(receiver.received).toHaveLength(4);
  await other.close();
});

test('a resend waits for the attempt that begins, which may be the last one', async () => {
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  const last = ['UPDATE webhook_deliveries SET attempts = 100 WHERE event_id = $1', uuidOf(event)] as const;
  const resent = await overtaken(world.service, last, () => resend(event));
  expectError(resent, LIMIT);
});

test('refuses an event without a recipient, and a recipient that is disabled', async () => {
  const event = await createdEvent();
  const message = expect.stringContaining('has no recipient');
  expect((await resend(event)).body.error).toMatchObject({ code: 'not_found', message });
  const webhook_endpoint = await createEndpoint({ enabled: false });
  const disabled = await resend(event, { webhook_endpoint });
  expect(disabled.body.error).toMatchObject({ code: 'not_found', param: 'webhook_endpoint' });
});
