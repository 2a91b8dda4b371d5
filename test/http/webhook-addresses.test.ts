/** Webhooks never reach the network the service runs in, whatever a URL or a resolver says. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { createTenant } from '../support/service.js';
import { attempt, deliver, readEvent, sessionFor, startWebhooks } from '../support/webhooks.js';

let strict: Awaited<ReturnType<typeof startWebhooks>>;
let receiver: Receiver;

beforeAll(async () => {
  strict = await startWebhooks({ config: { webhookAllowPrivate: false } });
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());
afterAll(() => strict.service.close());

const refused = attempt(
  1,
  null,
  'The host is not at a public address. For development, set WEBHOOK_ALLOW_PRIVATE=true for the service or command that sends.',
  false,
);

async function outcome(url: string, key: 'test' | 'live' = 'test') {
  const owner = await createTenant(strict.service);
  const { event } = await sessionFor(strict.service, { ...owner, test: owner[key] }, url);
  await deliver(strict.service);
  return (await readEvent(strict.service, owner, event)).deliveries;
}

test('a port of this machine, however it is spelled', async () => {
  const { port } = new URL(receiver.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    expect(await outcome(`http://${host}:${port}/`)).toEqual([refused]);
  }
  for (const host of ['0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'receiver.test', '127.1']) {
    expect(await outcome(`https://${host}:${port}/`)).toEqual([refused]);
  }
  expect(receiver.received).toEqual([]);
});

test('a name that is public when it is checked and private when it is connected to', async () => {
  let looks = 0;
  const resolve = async () => [
    {
      family: 4,
      get address() {
        looks += 1;
        return looks === 1 ? '93.184.216.34' : '127.0.0.1';
      },
    },
  ];
  Object.assign(strict.network, { resolve });
  const { port } = new URL(receiver.url);
  expect(await outcome(`http://localhost:${port}/`)).toEqual([refused]);
  expect(looks).toBeGreaterThan(1);
  expect(receiver.received).toEqual([]);
});

test('a name with a private address among public ones', async () => {
  const addresses = ['93.184.216.34', '2606:2800:220:1::1', '10.0.0.1'];
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  Object.assign(strict.network, { resolve });
  expect(await outcome('https://receiver.test/')).toEqual([refused]);
});

test.each(['https://receiver.test:22/', 'https://receiver.test:5/'])('%s is not a port for webhooks', async (url) => {
  const owner = await createTenant(strict.service);
  const { event } = await sessionFor(strict.service, owner, 'https://receiver.test/');
  await deliver(strict.service);
  await strict.service.sql.query(
    'UPDATE webhook_deliveries SET url = $1, outcome = NULL, next_attempt_at = $3 WHERE event_id = $2',
    [url, uuidOf(event), new Date(strict.clock.now())],
  );
  await deliver(strict.service);
  const { deliveries } = await readEvent(strict.service, owner, event);
  const error = 'Webhooks are only sent to port 80, 443, or one from 1024 up.';
  expect(deliveries.at(-1)).toMatchObject({ status_code: null, error });
});
