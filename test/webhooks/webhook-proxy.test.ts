/**
 * Webhooks go through the proxy of WEBHOOK_PROXY, by the same rules for addresses as without it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { refuse, startConnectProxy } from '../support/connect-proxy.js';
import { until } from '../support/processes.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { useReceiver } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { freePort, listen } from '../support/sockets.js';
import { attempt, deliver, startWebhooks, TIMEOUT_MS } from '../support/webhooks.js';

type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;
type Proxy = Awaited<ReturnType<typeof startConnectProxy>>;

const receiver = useReceiver();
let port: number;
let proxy: Proxy;
let world: Webhooks;
let shop: Shop;

beforeAll(async () => {
  port = await freePort();
  const webhookProxy = `http://shop:p%40ss@127.0.0.1:${port}`;
  world = await startWebhooks({ config: { webhookProxy } });
});
afterAll(() => world.service.close());

beforeEach(async () => {
  proxy = await startConnectProxy(port);
  shop = await Shop.open(world.service);
});
afterEach(() => proxy.close());

const portOf = (url: string) => new URL(url).port;

/** Makes attempts at the URL of a new session. */
async function attemptsAt(url: string, owner = shop) {
  const { event } = await owner.notified(url);
  await deliver(world.service);
  return owner.deliveriesOf(event);
}

test('sends webhooks to the address that was checked, with the password, on one connection', async () => {
  const url = `http://receiver.test:${portOf(receiver.url)}/hook`;
  expect(await attemptsAt(url)).toEqual([attempt(1, 204, null, true)]);
  expect(await attemptsAt(url)).toEqual([attempt(1, 204, null, true)]);
  expect(receiver.received.map(({ headers }) => headers.host)).toEqual([
    new URL(url).host,
    new URL(url).host,
  ]);
  const authorization = `Basic ${Buffer.from('shop:p@ss').toString('base64')}`;
  expect(proxy.asked).toEqual([{ authority: `127.0.0.1:${portOf(receiver.url)}`, authorization }]);
});

test('encrypts webhooks for the receiver, and verifies its certificate for its name', async () => {
  const requests: string[] = [];
  const server = createServer(SELF_SIGNED, ({ headers }, response) => {
    requests.push(String(headers.host));
    response.end();
  });
  const own = await listen(server);
  const usual = getCACertificates();
  const trusted = `https://localhost:${own}/`;
  expect(await attemptsAt(trusted)).toEqual([
    attempt(1, null, 'DEPTH_ZERO_SELF_SIGNED_CERT', false),
  ]);
  setDefaultCACertificates([...usual, SELF_SIGNED.cert]);
  const live = await shop.in('live', world.service);
  expect(await attemptsAt(trusted, live)).toEqual([attempt(1, 200, null, true)]);
  expect(await attemptsAt(`https://receiver.test:${own}/`)).toEqual([
    attempt(1, null, 'ERR_TLS_CERT_ALTNAME_INVALID', false),
  ]);
  setDefaultCACertificates(usual);
  expect(requests).toEqual([`localhost:${own}`]);
  server.closeAllConnections();
  server.close();
});

test('repeats a webhook when the proxy was down, and says why in the attempt', async () => {
  proxy.close();
  const { event } = await shop.notified(receiver.url);
  await deliver(world.service);
  const error = 'The proxy of WEBHOOK_PROXY is not reached: ECONNREFUSED.';
  expect(await shop.deliveriesOf(event)).toEqual([attempt(1, null, error, false)]);
  proxy = await startConnectProxy(port);
  world.clock.advance(60_000);
  await deliver(world.service);
  expect(await shop.deliveriesOf(event)).toEqual([
    attempt(1, null, error, false),
    attempt(2, 204, null, true),
  ]);
});

test.each(['407 Proxy Authentication Required', '403 Forbidden', '301 Moved'])(
  'fails an attempt when the proxy answers %s',
  async (status) => {
    proxy.behave(refuse(status));
    const error = `The proxy of WEBHOOK_PROXY answered ${status.slice(0, 3)} to CONNECT.`;
    expect(await attemptsAt(receiver.url)).toEqual([attempt(1, null, error, false)]);
    expect(receiver.received).toEqual([]);
  },
);

test('fails an attempt in time when the proxy says nothing', async () => {
  proxy.behave(() => undefined);
  Object.assign(world.network, { timeoutMs: TIMEOUT_MS });
  const error = `No response within ${TIMEOUT_MS} ms.`;
  expect(await attemptsAt(receiver.url)).toEqual([attempt(1, null, error, false)]);
  Object.assign(world.network, { timeoutMs: 60_000 });
});

test('tries the next address of a name when the proxy does not reach the first', async () => {
  const { resolve } = world.network;
  const nobody = `[::1]:${portOf(receiver.url)}`;
  world.network.resolve = async () => [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const url = `http://two.test:${portOf(receiver.url)}/hook`;
  expect(await attemptsAt(url)).toEqual([attempt(1, 204, null, true)]);
  world.network.resolve = resolve;
  expect(proxy.asked.map(({ authority }) => authority)).toEqual([
    nobody,
    `127.0.0.1:${portOf(receiver.url)}`,
  ]);
});

describe('a service that sends to public addresses only', () => {
  let strict: Webhooks;

  beforeAll(async () => {
    strict = await startWebhooks({
      config: { webhookAllowPrivate: false, webhookProxy: `http://127.0.0.1:${port}` },
    });
  });
  afterAll(() => strict.service.close());

  test.each(['https://127.0.0.1:4000/', 'https://receiver.test/', 'https://169.254.169.254/'])(
    'does not ask the proxy for %s',
    async (url) => {
      const owner = await Shop.open(strict.service);
      const { event } = await owner.notified(url);
      await deliver(strict.service);
      expect(await owner.deliveriesOf(event)).toMatchObject([
        { status_code: null, error: expect.stringMatching(/^The host is not at a public address/) },
      ]);
      expect(proxy.asked).toEqual([]);
    },
  );
});

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

const HAS_TINYPROXY = spawnSync('tinyproxy', ['-v']).error === undefined;
const reason = HAS_TINYPROXY ? '' : ' (skipped: no tinyproxy found)';

(HAS_TINYPROXY ? test : test.skip)(
  `sends webhooks through tinyproxy with its password${reason}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tinyproxy-'));
    const file = join(folder, 'tinyproxy.conf');
    const own = await freePort();
    writeFileSync(file, `Port ${own}\nListen 127.0.0.1\nBasicAuth shop secret\n`);
    const running = spawn('tinyproxy', ['-d', '-c', file], { stdio: 'ignore' });
    const ended = once(running, 'exit');
    const attempted = async (password: string) => {
      const webhookProxy = `http://shop:${password}@127.0.0.1:${own}`;
      const { service } = await startWebhooks({ config: { webhookProxy } });
      const owner = await Shop.open(service);
      const { event } = await owner.notified(receiver.url);
      await deliver(service);
      const deliveries = await owner.deliveriesOf(event);
      await service.close();
      return deliveries;
    };
    try {
      await until(() => isListening(own));
      expect(await attempted('secret')).toEqual([attempt(1, 204, null, true)]);
      const error = 'The proxy of WEBHOOK_PROXY answered 401 to CONNECT.';
      expect(await attempted('wrong')).toEqual([attempt(1, null, error, false)]);
      expect(receiver.received).toHaveLength(1);
    } finally {
      running.kill();
      await ended;
      rmSync(folder, { recursive: true });
    }
  },
);
