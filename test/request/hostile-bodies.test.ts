/**
 * Bodies that are too large, that break off or that never end are refused, and their connections
 * are freed.
 */
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { until } from '../support/processes.js';
import { head, sendBytes } from '../support/raw.js';

const SESSIONS = '/v1/checkout_sessions';
const MAX_BODY_BYTES = 256 * 1024;
const LARGE = Buffer.alloc(10_000_000, ' ');

const service = useService();
const shop = useShop(service, {}, beforeAll);
const BEARER = () => `Authorization: Bearer ${shop.key}`;
const LINES = () => ['Host: x', BEARER(), 'Content-Type: application/json'];
const JSON_OF = () => ({ authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' });

function log(): Record<'warn' | 'error', () => void> {
  const { log } = service.application.getHttpAdapter().getInstance() as unknown as {
    log: Record<'warn' | 'error', () => void>;
  };
  return log;
}

test('a request that got its response before its body broke off gets no second response', async () => {
  const start = `POST ${SESSIONS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const { hostname, port } = new URL(service.url);
  const client = connect(Number(port), hostname, () => client.write(start));
  let received = '';
  client.on('data', (chunk) => {
    if (received === '') client.write('no number\r\n');
    received += chunk;
  });
  await once(client, 'close');
  expect(received.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 401']);
});

test('a broken chunk is answered once, and not with 500', async () => {
  const start = head(
    `POST ${SESSIONS} HTTP/1.1`,
    ...LINES(),
    'Idempotency-Key: a',
    'Transfer-Encoding: chunked',
  );
  const reply = await sendBytes(service.url, start, 'not a number\r\n{}\r\n');
  expectError(reply, { status: 400, code: 'invalid_param' });
  expect(reply.answers).toBe(1);
});

/** Returns the status that a client sees if it begins to read after it has sent everything. */
function statusOf(headers: Readonly<Record<string, string | number>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...JSON_OF(), ...headers } };
    const sent = request(service.url + SESSIONS, options, async (answer) => {
      await text(answer);
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end(LARGE);
  });
}

test.each([
  { 'content-length': LARGE.length },
  { 'content-length': LARGE.length, connection: 'close' },
  { 'transfer-encoding': 'chunked' },
  { 'transfer-encoding': 'chunked', connection: 'close' },
])('a body of 10 MB with %j is refused, and every client reads the refusal', async (headers) => {
  const statuses = await Promise.all(
    Array.from({ length: 8 }, () => statusOf(headers as Record<string, string>)),
  );
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 413));
});

test('a body of 256 KiB without a Content-Length is accepted, and one more byte is refused', async () => {
  const create = async (size: number) => {
    const headers = { ...JSON_OF(), 'idempotency-key': `chunks-${size}` };
    const body = new Blob([JSON.stringify(SMALLEST).padEnd(size)]).stream();
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    return (await fetch(service.url + SESSIONS, init)).status;
  };
  expect([await create(MAX_BODY_BYTES), await create(MAX_BODY_BYTES + 1)]).toEqual([201, 413]);
});

test('an endless body is answered while it is sent, and then its connection is closed', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const received: string[] = [];
  socket.on('data', (chunk) => received.push(String(chunk))).on('error', () => undefined);
  socket.write(head(`POST ${SESSIONS} HTTP/1.1`, ...LINES(), 'Content-Length: 99999999999'));
  const drip = setInterval(() => socket.write(Buffer.alloc(1_000, ' ')), 20);
  await until(() => received.join('').includes('"payload_too_large"'));
  await once(socket, 'close');
  clearInterval(drip);
  // The deadline of a whole request would answer 408.
  expect(received.join('').match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
});

test('a body that is announced and never sent is refused in one answer', async () => {
  const reply = await sendBytes(
    service.url,
    head(`POST ${SESSIONS} HTTP/1.1`, ...LINES(), 'Content-Length: 99999999999'),
  );
  expectError(reply, { status: 413, code: 'payload_too_large', errors: [['body', 'too_large']] });
  expect(reply.answers).toBe(1);
});

test('a client that disconnects within its body causes no warning in the log', async () => {
  const warn = jest.spyOn(log(), 'warn');
  const ends: number[] = [];
  service.application.getHttpServer().on('request', (_: unknown, response: ServerResponse) => {
    response.on('close', () => ends.push(response.statusCode));
  });
  const { hostname, port } = new URL(service.url);
  for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `${head(`POST ${SESSIONS} HTTP/1.1`, ...LINES(), `Idempotency-Key: ${end}`, 'Content-Length: 100')}{"a":`,
      () => socket[end](),
    );
  }
  await until(() => ends.length === 3);
  expect(warn).not.toHaveBeenCalled();
});
