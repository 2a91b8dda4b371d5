/** Bodies that are refused or never end: the client gets the reason, and nothing is buffered or logged for it. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { until } from '../support/processes.js';
import { head, sendBytes } from '../support/raw.js';

const SESSIONS = '/v1/checkout_sessions';
const TOO_LARGE = { status: 413, code: 'payload_too_large', errors: [['body', 'too_large']] } as const;
const MAX_BODY_BYTES = 256 * 1024;
const LARGE = Buffer.alloc(10_000_000, ' ');

const service = useService();
const shop = useShop(service, {}, beforeAll);

const lines = () => ['Host: x', `Authorization: Bearer ${shop.key}`, 'Content-Type: application/json'];

/** The status that a client sees which reads only when it has sent everything, if it sees one. */
function statusOf(headers: Readonly<Record<string, string | number>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${shop.key}`;
    const options = { method: 'POST', headers: { authorization, 'content-type': 'application/json', ...headers } };
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
])('10 MB with %j are refused, and every client reads it', async (headers) => {
  const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(headers as Record<string, string>)));
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 413));
});

test('256 KiB without a Content-Length are accepted, a byte more is refused', async () => {
  const create = async (size: number) => {
    const headers = {
      authorization: `Bearer ${shop.key}`,
      'content-type': 'application/json',
      'idempotency-key': `chunks-${size}`,
    };
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
  socket.write(head(`POST ${SESSIONS} HTTP/1.1`, ...lines(), 'Content-Length: 99999999999'));
  const drip = setInterval(() => socket.write(Buffer.alloc(1_000, ' ')), 20);
  await until(() => received.join('').includes('"payload_too_large"'));
  await once(socket, 'close');
  clearInterval(drip);
  // Not the deadline of a whole request, which has a 408 of its own.
  expect(received.join('').match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
});

test('a body that is announced and never sent is refused in one answer', async () => {
  const reply = await sendBytes(
    service.url,
    head(`POST ${SESSIONS} HTTP/1.1`, ...lines(), 'Content-Length: 99999999999'),
  );
  expectError(reply, TOO_LARGE);
  expect(reply.answers).toBe(1);
});

test('a client that disconnects within its body causes no error', async () => {
  const { log } = service.application.getHttpAdapter().getInstance() as unknown as { log: Record<'warn', () => void> };
  const warn = jest.spyOn(log, 'warn');
  const ends: number[] = [];
  service.application
    .getHttpServer()
    .on('request', (_: unknown, response: { statusCode: number; on(event: 'close', then: () => void): void }) =>
      response.on('close', () => ends.push(response.statusCode)),
    );
  const { hostname, port } = new URL(service.url);
  for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `${head(`POST ${SESSIONS} HTTP/1.1`, ...lines(), `Idempotency-Key: ${end}`, 'Content-Length: 100')}{"a":`,
      () => socket[end](),
    );
  }
  await until(() => ends.length === 3);
  expect(warn).not.toHaveBeenCalled();
});
