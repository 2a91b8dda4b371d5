import { beforeAll, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { head, sendBytes } from '../support/raw.js';

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

/** Finds the statuses of the answers that followed the first one on its connection. */
const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('a malformed request after a valid one is refused after the response to the valid one', async () => {
  for (const rest of ['{}', 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n']) {
    const { text, status } = await sendBytes(
      service.url,
      creation('Idempotency-Key: follow') + rest,
    );
    expect([status, ...statusesIn(text)]).toEqual([201, rest === '{}' ? 400 : 404]);
  }
});

const CLOSING = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const LAST_REQUESTS: [name: string, bytes: () => string, status: number][] = [
  ['a request to close it', () => CLOSING, 200],
  ['a request of HTTP/1.0', () => 'GET /livez HTTP/1.0\r\n\r\n', 200],
  ['an expectation', () => 'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', 400],
  ['RTSP', () => 'PLAY /livez RTSP/1.0\r\nConnection: keep-alive\r\n\r\n', 405],
  ['an unknown method', () => 'STEAL /livez HTTP/1.1\r\n\r\n', 405],
  ['CONNECT', () => 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
];

test.each(LAST_REQUESTS)(
  'nothing that follows %s on its connection is carried out',
  async (name, bytesOf, status) => {
    const list = `GET ${SESSIONS} HTTP/1.1\r\nHost: x\r\n${BEARER()}\r\n\r\n`;
    for (const before of ['', list]) {
      const key = `Idempotency-Key: ${name}-${before.length}`;
      const bytes = before + bytesOf() + creation(key);
      const { text, ...first } = await sendBytes(service.url, bytes);
      const statuses = [first.status, ...statusesIn(text)];
      expect(statuses).toEqual(before === '' ? [status] : [200, status]);
      const created = await sendBytes(service.url, creation(key, 'Connection: close'));
      expect([created.status, created.headers.get('idempotent-replayed')]).toEqual([201, null]);
    }
  },
);

test('nothing that follows a body that nobody reads is carried out', async () => {
  const chunks = 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n';
  const unread = `DELETE /livez HTTP/1.1\r\nHost: x\r\n${chunks}`;
  const reply = await sendBytes(service.url, unread + creation('Idempotency-Key: unread'));
  expect([reply.status, reply.answers, reply.headers.get('connection')]).toEqual([405, 1, 'close']);
  const created = await sendBytes(
    service.url,
    creation('Idempotency-Key: unread', 'Connection: close'),
  );
  expect([created.status, created.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('sixteen requests may wait on one connection, and seventeen may not', async () => {
  const asked = (count: number) =>
    sendBytes(service.url, `GET ${SESSIONS} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count - 1), ending);
  const ending = head(`GET ${SESSIONS} HTTP/1.1`, 'Host: x', BEARER());
  const { status, text } = await asked(16);
  expect([status, ...statusesIn(text)]).toEqual([...Array(15).fill(401), 200]);
  expect(await asked(17).catch(() => ({ answers: 0 }))).toMatchObject({ answers: 0 });
});

test('a request begins when the request before it on its connection has been answered', async () => {
  const creations = Array.from({ length: 8 }, (_, at) =>
    creation(`Idempotency-Key: in-turn-${at}`),
  );
  const first = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = head(`GET ${SESSIONS}?limit=8 HTTP/1.1`, 'Host: x', BEARER());
  const { text } = await sendBytes(service.url, first, ...creations, last);
  const list = JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))) as { data: { id: string }[] };
  const created = [...text.matchAll(/^location: \S+\/(\S+)/gim)].map(([, id]) => id);
  expect(created).toHaveLength(8);
  expect(list.data.map(({ id }) => id)).toEqual(created.toReversed());
});
