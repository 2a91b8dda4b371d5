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

describe('JSON that parsers let through', () => {
  test.each([
    ['a duplicate key', withMembers('"currency":"eur"'), 'currency', 'duplicate'],
    ['a duplicate key in escapes', withMembers('"curr\\u0065ncy":"usd"'), 'currency', 'duplicate'],
    [
      'a duplicate key inside',
      TEXT.replace('"name"', '"name":"x","name"'),
      'line_items[0].price_data.product_data.name',
      'duplicate',
    ],
    ['a duplicate metadata key', withMembers('"metadata":{"a":"1","a":"1"}'), 'metadata.a', 'duplicate'],
    ['an integer beyond 2^53', withMembers('"amount":9007199254740993'), 'amount', 'too_large'],
    ['an integer far below', withMembers('"amount":-9007199254740993'), 'amount', 'too_small'],
    ['1e400', withMembers('"amount":1e400'), 'amount', 'too_large'],
    ['-1e400', withMembers('"amount":-1e400'), 'amount', 'too_small'],
    ['1e400 as a time', withMembers('"expires_at":1e400'), 'expires_at', 'too_large'],
    ['NUL', withMembers('"description":"a\\u0000b"'), 'description', 'invalid_format'],
    ['a lone surrogate', withMembers('"description":"\\ud800"'), 'description', 'invalid_format'],
    ['a lone low surrogate', withMembers('"metadata":{"a":"\\udc00x"}'), 'metadata.a', 'invalid_format'],
    ['NUL in a key', withMembers('"metadata":{"\\u0000":"x"}'), 'metadata', 'invalid_format'],
    ['a lone surrogate in a key', withMembers('"metadata":{"\\ud800":"x"}'), 'metadata', 'invalid_format'],
    ['__proto__', withMembers('"__proto__":{"polluted":1}'), '__proto__', 'unknown_field'],
    ['__proto__ in escapes', withMembers('"\\u005f_proto__":{"polluted":1}'), '__proto__', 'unknown_field'],
    ['__proto__ in metadata', withMembers('"metadata":{"__proto__":"x"}'), 'metadata.__proto__', 'unknown_field'],
    [
      'constructor.prototype',
      withMembers('"constructor":{"prototype":{"polluted":1}}'),
      'constructor',
      'unknown_field',
    ],
    ['a byte order mark', `\ufeff${TEXT}`, 'body', 'invalid_format'],
    ['a trailing comma', `${TEXT.slice(0, -1)},}`, 'body', 'invalid_format'],
    ['two values', `${TEXT}${TEXT}`, 'body', 'invalid_format'],
    ['half a value', TEXT.slice(0, -1), 'body', 'invalid_format'],
    ['white space only', ' \n', 'body', 'invalid_format'],
    ['NaN', withMembers('"amount":NaN'), 'body', 'invalid_format'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'body', 'invalid_value'],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 'body', 'invalid_value'],
    ['100,000 open objects', '{"a":'.repeat(50_000), 'body', 'invalid_value'],
    ['32 levels of the wrong thing', '['.repeat(32) + ']'.repeat(32), 'body', 'invalid_type'],
  ])('%s', async (_, body, param, code) => {
    expectInvalid(await create(body), [param, code]);
  });

  test.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['half a character', [0xe2, 0x82]],
  ])('invalid UTF-8: %s', async (_, bytes) => {
    const [before, after] = withMembers('"description":"|"').split('|');
    const body = Buffer.concat([Buffer.from(before as string), Buffer.from(bytes), Buffer.from(after as string)]);
    expectInvalid(await create(body), ['body', 'invalid_format']);
  });

  test('input that only looks hostile is accepted unchanged', async () => {
    const description = "Robert'); DROP TABLE checkout_sessions;-- <script>\r\n{{7*7}} %s \u202e 👩‍👩‍👧";
    const { status, body } = await create({ ...SMALLEST, description, metadata: { constructor: 'x' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ description, metadata: { constructor: 'x' } });
  });
});

describe('paths', () => {
  test.each([
    ...['%00', '%zz', '%ff', '%', '%c0%af', '%2e%2e', '%2Fx', 'cs_test_%00', 'x'.repeat(10_000), '%F0%9F%93%9A', '*'],
    ...["'OR'1'='1", '..%2f..%2fetc', '__proto__', 'constructor'],
  ])('an id %# is malformed', async (id) => {
    for (const path of [SESSIONS, '/v1/refunds']) {
      const line = `GET ${path}/${id} HTTP/1.1`;
      const reply = await sendBytes(service.url, head(line, 'Host: x', `Authorization: Bearer ${tenant.test}`));
      expectInvalid(reply, ['id', 'invalid_format']);
    }
  });

  test.each(['/v1', '/v2/checkout_sessions', '/%zz', '/%00', `/${'x/'.repeat(50)}`, '//v1//', '/v1/__proto__'])(
    'no route %s',
    async (path) => {
      const reply = await sendBytes(service.url, head(`GET ${path} HTTP/1.1`, 'Host: x'));
      expectError(reply, { status: 404, code: 'not_found' });
    },
  );

  test.each([
    ['DELETE', SESSIONS, 'GET, POST'],
    ['PUT', SESSIONS, 'GET, POST'],
    ['PROPFIND', SESSIONS, 'GET, POST'],
    ['POST', `${SESSIONS}/cs_test_01jd0000000000000000000000`, 'GET'],
    ['DELETE', '/v1/refunds/x', 'GET'],
    ['POST', '/livez', 'GET'],
  ])('%s %s is not allowed', async (method, path, allowed) => {
    const { url } = service;
    const reply =
      method === 'PROPFIND'
        ? await sendBytes(url, head(`${method} ${path} HTTP/1.1`, 'Host: x'))
        : await send(method, url + path);
    const methods = reply.headers.get('allow')?.split(', ') ?? [];
    expectError(reply, { status: 405, code: 'method_not_allowed', errors: [['method', 'invalid_value', methods]] });
    expect(methods).toEqual(expect.arrayContaining(allowed.split(', ')));
    expect(methods).not.toContain(method);
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
  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['multipart/form-data; boundary=x', {}],
    ['application/json; charset=utf-16', {}],
    ['application/json; charset=latin1', {}],
    ['application/json; charset=utf-8=', {}],
    ['application/json; charset="utf-8', {}],
    [`application/json; charset=${' '.repeat(3_000)}""z`, {}],
    ['application/json; charset=utf-8; charset=utf-16', {}],
    ['application/json, text/plain', {}],
    ['application/jsonp', {}],
    ['application/vnd.api+json', {}],
    ['text/json', {}],
    ['json', {}],
  ])('%s is not taken', async (type) => {
    const errors = [['Content-Type', 'invalid_value', ['application/json']]] as const;
    expectError(await create(TEXT, { 'content-type': type }), { status: 415, code: 'unsupported_media_type', errors });
  });

  test.each(['gzip', 'br', 'identity', 'x'])('Content-Encoding %s is not taken', async (encoding) => {
    const reply = await create(TEXT, { 'content-encoding': encoding });
    const errors = [['Content-Encoding', 'invalid_value']] as const;
    expectError(reply, { status: 415, code: 'unsupported_media_type', errors });
  });

  test('a body without a type is refused', async () => {
    const reply = await create(Buffer.from(TEXT), { 'content-type': '' });
    expectError(reply, {
      status: 415,
      code: 'unsupported_media_type',
      errors: [['Content-Type', 'invalid_value', ['application/json']]],
    });
  });

  test.each([
    'APPLICATION/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json ; Charset = "UTF-8" ; profile=x;',
    'application/json\t',
  ])('%j is taken', async (type) => expect((await create(TEXT, { 'content-type': type })).status).toBe(201));

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
