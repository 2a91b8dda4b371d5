/** Which Idempotency-Key headers are valid, and which of them are the same key. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isReplay, type Reply, SMALLEST, send } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { head, sendBytes } from '../support/raw.js';
import { createTenant, type Service, startService, type Tenant } from '../support/service.js';

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
});

afterAll(() => service.close());

const BODY = JSON.stringify(SMALLEST);

/** On a socket of its own: an HTTP client would correct, join or refuse some of these headers. */
function create(...keys: readonly string[]): Promise<Reply> {
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${tenant.test}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(BODY)}`,
    ...keys.map((key) => `Idempotency-Key: ${key}`),
  ];
  return sendBytes(service.url, head('POST /v1/checkout_sessions HTTP/1.1', ...headers), BODY);
}

const VISIBLE = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index)).join('');

const USABLE = {
  'one character': '~',
  'every visible character': VISIBLE,
  '255 characters': 'k'.repeat(255),
  '255 characters in quotes': `"${'q'.repeat(255)}"`,
  'a comma, which also joins headers': 'a,b',
  'a UUID': 'e7b1c0de-6c1f-4d0a-9b0e-3f5d8f1f2a3b',
};

test.each(Object.entries(USABLE))('takes %s', async (_, key) => {
  expect((await create(key)).status).toBe(201);
  const again = await create(key);
  expect([again.status, isReplay(again)]).toEqual([201, true]);
});

const UNUSABLE = {
  'no header': { keys: [], code: 'required' },
  'an empty one': { keys: [''], code: 'too_short' },
  'only spaces': { keys: ['   '], code: 'too_short' },
  'empty quotes': { keys: ['""'], code: 'too_short' },
  '256 characters': { keys: ['k'.repeat(256)], code: 'too_long' },
  '256 characters in quotes': { keys: [`"${'k'.repeat(256)}"`], code: 'too_long' },
  'a space inside': { keys: ['two words'], code: 'invalid_format' },
  'a space inside quotes': { keys: ['"two words"'], code: 'invalid_format' },
  'a tab inside': { keys: ['two\twords'], code: 'invalid_format' },
  'a letter beyond ASCII': { keys: ['clé'], code: 'invalid_format' },
  'two headers': { keys: ['one', 'two'], code: 'duplicate' },
  'two equal headers': { keys: ['one', 'one'], code: 'duplicate' },
};

test.each(Object.entries(UNUSABLE))('refuses %s', async (_, { keys, code }) => {
  expectError(await create(...keys), {
    status: 400,
    code: 'invalid_param',
    errors: [['Idempotency-Key', code]],
    nextStep: { type: 'fix_request', path: '/v1/checkout_sessions', method: 'POST' },
  });
});

test('refuses a refund without a key', async () => {
  const reply = await send('POST', `${service.url}/v1/refunds`, { key: tenant.test, body: {} });
  expectError(reply, { status: 400, code: 'invalid_param', errors: [['Idempotency-Key', 'required']] });
});

test('a read ignores the header', async () => {
  const sent = { key: tenant.test, headers: { 'idempotency-key': 'x'.repeat(300) } };
  expect((await send('GET', `${service.url}/v1/checkout_sessions`, sent)).status).toBe(200);
});

describe('means the same key:', () => {
  const SAME = [
    { bare: 'plain', quoted: '"plain"' },
    { bare: 'in"side', quoted: '"in\\"side"' },
    { bare: 'back\\slash', quoted: '"back\\\\slash"' },
  ];

  test.each(SAME)('$bare and $quoted', async ({ bare, quoted }) => {
    const first = await create(bare);
    const second = await create(quoted);
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });
});

describe('means another key:', () => {
  const OTHER = [
    { one: 'case', other: 'CASE' },
    { one: 'tail', other: 'tail.' },
    { one: `${'z'.repeat(254)}1`, other: `${'z'.repeat(254)}2` },
  ];

  test.each(OTHER)('$one and $other', async ({ one, other }) => {
    const replies = [await create(one), await create(other)];
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual([
      [201, false],
      [201, false],
    ]);
  });
});
