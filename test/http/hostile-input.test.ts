/** Requests that no well-behaved client sends: each gets an error envelope, none a 500, and the service keeps running. */
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { get, post, type Reply, SMALLEST, send } from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { head, sendBytes } from '../support/raw.js';
import { createLedgerKey, createTenant, type Tenant } from '../support/service.js';
import { useService } from '../support/setup.js';

const SESSIONS = '/v1/checkout_sessions';
const MAX_BODY_BYTES = 256 * 1024;
const TEXT = JSON.stringify(SMALLEST);

const service = useService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(service);
});

afterEach(async () => {
  expect((await get(service.url + SESSIONS, { key: tenant.test })).status).toBe(200);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

const create = (body: unknown, headers = {}): Promise<Reply> =>
  post(service.url + SESSIONS, { key: tenant.test, body, headers });

/** The smallest body with more members. */
const withMembers = (members: string): string => `${TEXT.slice(0, -1)},${members}}`;

describe('names of inherited members', () => {
  test.each([
    ['__proto__', withMembers('"__proto__":{"polluted":1}'), '__proto__', 'unknown_field'],
    ['__proto__ in escapes', withMembers('"\\u005f_proto__":{"polluted":1}'), '__proto__', 'unknown_field'],
    ['__proto__ in metadata', withMembers('"metadata":{"__proto__":"x"}'), 'metadata.__proto__', 'unknown_field'],
    [
      'constructor.prototype',
      withMembers('"constructor":{"prototype":{"polluted":1}}'),
      'constructor',
      'unknown_field',
    ],
  ])('%s', async (_, body, param, code) => {
    expectInvalid(await create(body), [param, code]);
  });
});

describe('paths', () => {
  test('an unknown method is not allowed', async () => {
    const reply = await sendBytes(service.url, head(`PROPFIND ${SESSIONS} HTTP/1.1`, 'Host: x'));
    const methods = reply.headers.get('allow')?.split(', ') ?? [];
    expectError(reply, { status: 405, code: 'method_not_allowed', errors: [['method', 'invalid_value', methods]] });
    expect(methods).toEqual(expect.arrayContaining(['GET', 'POST']));
    expect(methods).not.toContain('PROPFIND');
  });

  test('HEAD is GET without a body', async () => {
    const found = await send('HEAD', service.url + SESSIONS, { key: tenant.test });
    expect([found.status, found.text, found.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ]);
    const refused = await send('HEAD', service.url + SESSIONS);
    expect([refused.status, refused.text]).toEqual([401, '']);
  });
});

describe('queries', () => {
  const ask = (target: string, key = tenant.test) =>
    sendBytes(service.url, head(`${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`));

  test.each(['%ff', '%', '%z', '%zz', 'a%', '%c0%af', '%ed%a0%80', '%e2%82', '%C3=%A9'])(
    'a query with %j is no percent-encoded UTF-8',
    async (text) => {
      const ledgerKey = await createLedgerKey(service, 'test');
      const reply = await ask(`GET /ledger/v1/payments?limit=1&reference=${text}`, ledgerKey);
      expectError(reply, {
        status: 400,
        code: 'invalid_param',
        errors: [['reference', 'invalid_format']],
        nextStep: { type: 'fix_request', path: '/ledger/v1/payments', method: 'GET' },
      });
      for (const path of [SESSIONS, `${SESSIONS}/cs_test_01jd0000000000000000000000`, '/livez', '/docs']) {
        expectInvalid(await ask(`GET ${path}?a=b&${text}`), [text.split('=')[0] as string, 'invalid_format']);
      }
    },
  );

  test('a parameter is given once, also where none is read', async () => {
    const twice = ['a', 'duplicate'] as const;
    expectInvalid(await ask(`GET ${SESSIONS}/cs_test_01jd0000000000000000000000?a=1&b=2&a=1`), twice);
    expectInvalid(await post(`${service.url}${SESSIONS}?a=1&a=2`, { key: tenant.test, body: SMALLEST }), twice);
    expect((await ask('GET /docs?a=1&a=2')).status).toBe(200);
  });

  test('a query is checked at its place in the order of checks', async () => {
    expect((await ask(`GET ${SESSIONS}?%ff`, 'sk_test_wrong')).status).toBe(401);
    expect((await ask('GET /nothing?%ff')).status).toBe(404);
    expect((await post(`${service.url}${SESSIONS}?%ff`, { key: tenant.test, body: SMALLEST })).status).toBe(400);
    const text = { 'content-type': 'text/plain' };
    const refused = await post(`${service.url}${SESSIONS}?%ff`, { key: tenant.test, body: TEXT, headers: text });
    expect(refused.status).toBe(415);
  });

  test('an encoded query is accepted', async () => {
    expect((await ask('GET /livez?a=%E2%82%AC+%f0%9f%98%80%25&&=&%20')).status).toBe(200);
  });
});

describe('bodies', () => {
  const inChunks = (size: number) =>
    new ReadableStream({
      start(controller) {
        const bytes = Buffer.from(TEXT.padEnd(size));
        for (let at = 0; at < size; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536));
        controller.close();
      },
    });

  async function createInChunks(size: number): Promise<Reply> {
    const headers = {
      authorization: `Bearer ${tenant.test}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    };
    const init = { method: 'POST', headers, body: inChunks(size), duplex: 'half' } as RequestInit;
    const response = await fetch(service.url + SESSIONS, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }

  test('256 KiB are accepted, a byte more is refused, with and without a Content-Length', async () => {
    const tooLarge = { status: 413, code: 'payload_too_large', errors: [['body', 'too_large']] } as const;
    expect((await create(TEXT.padEnd(MAX_BODY_BYTES))).status).toBe(201);
    expect((await createInChunks(MAX_BODY_BYTES)).status).toBe(201);
    expectError(await create(TEXT.padEnd(MAX_BODY_BYTES + 1)), tooLarge);
    expectError(await createInChunks(MAX_BODY_BYTES + 1), tooLarge);
    // No such body ever arrives: its announcement is enough.
    const line = [`POST ${SESSIONS} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${tenant.test}`] as const;
    expectError(
      await sendBytes(service.url, head(...line, 'Content-Type: application/json', 'Content-Length: 99999999999')),
      tooLarge,
    );
  });
});
