/**
 * These tests write bytes to the socket: faults in headers and in the grammar of HTTP, and bodies
 * that are refused or never end.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.js';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST, send } from '../support/client.js';
import { expectError, expectInvalid, expectUnauthorized } from '../support/envelope.js';
import { scrape } from '../support/metrics.js';
import { until } from '../support/processes.js';
import { head, type RawReply, sendBytes } from '../support/raw.js';

const SESSIONS = '/v1/checkout_sessions';
const TEXT = JSON.stringify(SMALLEST);

const service = useService();
const shop = useShop(service, {}, beforeAll);
const BEARER = () => `Authorization: Bearer ${shop.key}`;
const LINES = () => ['Host: x', BEARER(), 'Content-Type: application/json'];

/** Returns a POST of the smallest body, which is valid except for these header lines. */
function creation(...headers: readonly string[]): string {
  return [
    `POST ${SESSIONS} HTTP/1.1`,
    ...LINES(),
    `Content-Length: ${TEXT.length}`,
    ...headers,
    '',
    TEXT,
  ].join('\r\n');
}
const create = (...headers: readonly string[]): Promise<RawReply> =>
  sendBytes(service.url, creation('Connection: close', ...headers));

const MALFORMED: [name: string, bytes: string][] = [
  ['no HTTP at all', 'GARBAGE\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an endless method', head(`${'STEAL'.repeat(9)} ${SESSIONS} HTTP/1.1`, 'Host: x')],
  ['a bare path', `${SESSIONS}\r\n\r\n`],
  ['a space in the path', head(`GET ${SESSIONS}?a= b HTTP/1.1`, 'Host: x')],
  ['NUL in a header', head(`GET ${SESSIONS} HTTP/1.1`, 'Host: x', 'X-Any: a\x00b')],
  ['a header without a colon', head(`GET ${SESSIONS} HTTP/1.1`, 'Host: x', 'nothing')],
  ['a folded header', head(`GET ${SESSIONS} HTTP/1.1`, 'Host: x', 'X-Any: a', ' b: c')],
  [
    'two lengths',
    head(`POST ${SESSIONS} HTTP/1.1`, 'Host: x', 'Content-Length: 1', 'Content-Length: 2'),
  ],
  [
    'a length and chunks',
    head(`POST ${SESSIONS} HTTP/1.1`, 'Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
  ],
  [
    'a length that is no number',
    head(`POST ${SESSIONS} HTTP/1.1`, 'Host: x', 'Content-Length: -1'),
  ],
];

test.each(MALFORMED)(
  'a request with %s is refused with an error in the envelope, and its connection is closed',
  async (_, bytes) => {
    const reply = await sendBytes(service.url, bytes);
    expectError(reply, { status: 400, code: 'invalid_param' });
    expect([reply.answers, reply.headers.get('connection')]).toEqual([1, 'close']);
  },
);

test('a connection that got a 408 is freed although its client never closes it', async () => {
  const { hostname, port } = new URL(service.url);
  const accepted = once(service.application.getHttpServer(), 'connection') as Promise<Socket[]>;
  const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  client.resume().write(`GET ${SESSIONS} HTTP/1.1\r\n`);
  const [held] = await accepted;
  await once(client, 'end');
  await until(() => held?.destroyed === true).finally(() => client.destroy());
});

/** Finds the statuses of the answers that followed the first one on its connection. */
const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('CONNECT is answered with the envelope, and an upgrade with the usual answer', async () => {
  const refused = await sendBytes(
    service.url,
    head('CONNECT localhost:5432 HTTP/1.1', 'Host: x', 'X-Request-Id: one'),
  );
  expectError(refused, { status: 404, code: 'not_found' });
  expect([refused.body.request_id, refused.headers.get('request-id'), refused.answers]).toEqual([
    'one',
    'one',
    1,
  ]);
  const lines = [
    'Host: x',
    BEARER(),
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
  ];
  const usual = await sendBytes(service.url, head(`GET ${SESSIONS} HTTP/1.1`, ...lines));
  expect([usual.status, usual.body.object]).toEqual([200, 'list']);
});

test('headers that are too large are refused', async () => {
  const reply = await sendBytes(
    service.url,
    head(`GET ${SESSIONS} HTTP/1.1`, 'Host: x', `X-Any: ${'x'.repeat(20_000)}`),
  );
  expectError(reply, { status: 431, code: 'invalid_param' });
});

test('a request without Host is refused in HTTP/1.1 only', async () => {
  expectInvalid(await sendBytes(service.url, head(`GET ${SESSIONS} HTTP/1.1`)), [
    'Host',
    'required',
  ]);
  expectUnauthorized(await sendBytes(service.url, head(`GET ${SESSIONS} HTTP/1.0`)), SESSIONS);
});

test('HEAD is answered like GET, without a body', async () => {
  const found = await send('HEAD', service.url + SESSIONS, { key: shop.key });
  const type = found.headers.get('content-type');
  expect([found.status, found.text, type]).toEqual([200, '', 'application/json; charset=utf-8']);
  const refused = await send('HEAD', service.url + SESSIONS);
  expect([refused.status, refused.text]).toEqual([401, '']);
  for (const [status, ...lines] of [
    [400, 'Host: x', 'Expect: 200-ok'],
    [400, 'Host: x', 'nothing'],
    [431, 'Host: x', `X-Any: ${'x'.repeat(20_000)}`],
  ] as [number, ...string[]][]) {
    const unmet = await sendBytes(service.url, head(`HEAD ${SESSIONS} HTTP/1.1`, ...lines));
    const hasLength = Number(unmet.headers.get('content-length')) > 0;
    expect([unmet.status, unmet.text, hasLength]).toEqual([status, '', true]);
  }
});

test('a client that closes its half of the connection is answered, and half a request of it with 400', async () => {
  const { hostname, port } = new URL(service.url);
  const half = creation('Idempotency-Key: half');
  const answersTo = async (bytes: string) => {
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    client.end(bytes);
    return statusesIn(Buffer.concat(await client.toArray()).toString());
  };
  expect(await answersTo(`GET ${SESSIONS} HTTP/1.1\r\nHost: x\r\n\r\n${half}`)).toEqual([401, 201]);
  expect(await answersTo(half.slice(0, -1))).toEqual([400]);
});

test('a query must be UTF-8 on routes without a key too, where a parameter may be repeated', async () => {
  const ask = (target: string) => sendBytes(service.url, head(`GET ${target} HTTP/1.1`, 'Host: x'));
  for (const path of ['/livez', '/docs'])
    expectInvalid(await ask(`${path}?a=b&%ff`), ['%ff', 'invalid_format']);
  expect((await ask('/docs?a=1&a=2')).status).toBe(200);
  expect((await ask('/livez?a=%E2%82%AC+%f0%9f%98%80%25&&=&%20')).status).toBe(200);
});

test('the service meets the expectation 100-continue, and refuses every other one', async () => {
  const met = await create('Idempotency-Key: expect', 'Expect: 100-continue');
  expect(met.text).toMatch(/^HTTP\/1\.1 201 /);
  expectInvalid(await create('Idempotency-Key: other', 'Expect: 200-ok'), [
    'Expect',
    'invalid_value',
  ]);
});

test('an absolute request target names the same resource', async () => {
  const line = `GET ${service.url}${SESSIONS} HTTP/1.1`;
  const reply = await sendBytes(service.url, head(line, 'Host: x', BEARER()));
  expect(reply.status).toBe(200);
  expectUnauthorized(await sendBytes(service.url, head(line, 'Host: x')), SESSIONS);
  const statuses: Record<string, number> = {};
  for (const rest of ['', '/', '?limit=1', '/nowhere']) {
    const { status } = await sendBytes(
      service.url,
      head(`GET ${service.url}${rest} HTTP/1.1`, 'Host: x'),
    );
    statuses[rest] = status;
  }
  expect(statuses).toEqual({ '': 302, '/': 302, '?limit=1': 404, '/nowhere': 404 });
});

test('a request id that is not ASCII is replaced', async () => {
  const reply = await sendBytes(
    service.url,
    head(`GET ${SESSIONS} HTTP/1.1`, 'Host: x', 'X-Request-Id: \xe9'),
  );
  expect(reply.body.request_id).toMatch(/^req_[0-9a-f-]{36}$/);
  expect(reply.headers.get('request-id')).toBe(reply.body.request_id);
});

/**
 * Opens 256 connections from an address. Returns whether this address is served beside them, and
 * whether another address is. Waits until the connections are closed.
 */
async function beside256({ url, application }: Service, address: string): Promise<boolean[]> {
  const server = application.getHttpServer();
  let from = address;
  const disguise = (socket: Socket) =>
    Object.defineProperty(socket, 'remoteAddress', { value: from });
  const isServed = () =>
    sendBytes(url, head('GET /livez HTTP/1.1', 'Host: x')).then(({ answers }) => answers === 1);
  const { hostname, port } = new URL(url);
  const held: Socket[] = [];
  server.prependListener('connection', disguise);
  try {
    for (let at = 0; at < 256; at++) {
      const accepted = once(server, 'connection');
      held.push(connect(Number(port), hostname));
      await accepted;
    }
    const served = [await isServed().catch(() => false)];
    from = '192.0.2.2';
    served.push(await isServed());
    from = address;
    for (const socket of held) socket.destroy();
    await until(() => isServed().catch(() => false));
    return served;
  } finally {
    for (const socket of held) socket.destroy();
    server.removeListener('connection', disguise);
  }
}

test('an address has 256 connections at most, except loopback and a trusted proxy', async () => {
  const proxied = await startService({
    databaseUrl: service.databaseUrl,
    config: { trustProxy: ['198.51.100.0/24'] },
  });
  const refused = async () => (await scrape(service)).tillgate_connections_refused_total as number;
  const before = await refused();
  expect(await beside256(service, '192.0.2.1')).toEqual([false, true]);
  expect(await refused()).toBeGreaterThan(before);
  expect(await beside256(service, '127.0.0.1')).toEqual([true, true]);
  expect(await beside256(proxied, '192.0.2.1')).toEqual([false, true]);
  expect(await beside256(proxied, '198.51.100.7')).toEqual([true, true]);
  await proxied.close();
});
