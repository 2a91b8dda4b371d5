/** What a restricted key may do, on every operation of /v1. The refusal comes right after that of the origin. */
import { beforeAll, expect, test } from '@jest/globals';
import { RIGHTS, type Right } from '../../src/shared/caller.js';
import { useService } from '../kit/setup.js';
import { type Reply, send } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { head, sendBytes } from '../support/raw.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const NEEDED: Readonly<Record<string, Right>> = {
  'POST /v1/checkout_sessions': 'sessions',
  'POST /v1/checkout_sessions/{id}/expire': 'sessions',
  'POST /v1/checkout_sessions/{id}/complete': 'sessions',
  'POST /v1/refunds': 'propose',
  'POST /v1/refunds/{id}/cancel': 'propose',
  'POST /v1/refunds/{id}/approve': 'approve',
  'POST /v1/refunds/{id}/reject': 'approve',
};
const PAGE = 'https://shop.example';

const service = useService();
let shop: Shop;
/** A key for each right, one with none, and one with all. */
const keys = new Map<string, string>();

const keyWith = (rights: readonly Right[], mode: 'test' | 'live' = 'test') =>
  createKey(service, { organization: shop.organization, mode, rights, allowedOrigins: [PAGE] });

beforeAll(async () => {
  shop = await Shop.open(service);
  for (const rights of [[], ...RIGHTS.map((right) => [right]), RIGHTS]) keys.set(rights.join(), await keyWith(rights));
});

const OPERATIONS: [string, string, string][] = Object.entries(
  DOCUMENT.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(() => path.startsWith('/v1/'))
    .map(([method, { parameters }]): [string, string, string] => {
      const id = parameters.find(({ name }) => name === 'id')?.schema?.examples[0];
      return [`${method.toUpperCase()} ${path}`, method.toUpperCase(), path.replace('{id}', String(id))];
    }),
);

interface Operation {
  readonly parameters: readonly {
    readonly name?: string;
    readonly schema?: { readonly examples: readonly string[] };
  }[];
}

test('each right is of an operation that there is', () => {
  const names = OPERATIONS.map(([name]) => name);
  expect(Object.keys(NEEDED).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(OPERATIONS)('%s', async (name, method, path) => {
  const right = NEEDED[name];
  for (const [rights, key] of keys) {
    const body = method === 'GET' ? undefined : {};
    const reply = await send(method, service.url + path, { key, body, idempotencyKey: crypto.randomUUID() });
    const isAllowed = method === 'GET' || (right !== undefined && rights.split(',').includes(right));
    if (isAllowed) expect(reply.body.error?.code).not.toBe('right_missing');
    else expectMissing(reply, method, path);
    if (method === 'GET') expect([200, 404]).toContain(reply.status);
  }
});

function expectMissing(reply: Reply, method: string, path: string): void {
  const errors = [['Authorization', 'invalid_value']] as const;
  expectError(reply, { status: 403, code: 'right_missing', errors, nextStep: { type: 'use_key', path, method } });
}

test('is refused so that a page of an allowed origin can read it', async () => {
  const ask = (origin: string) =>
    send('POST', `${service.url}/v1/refunds`, { key: keys.get('') as string, headers: { origin }, body: {} });
  expect((await ask('https://evil.example')).body.error.code).toBe('origin_not_allowed');
  const missing = await ask(PAGE);
  expectMissing(missing, 'POST', '/v1/refunds');
  expect(missing.headers.get('access-control-allow-origin')).toBe(PAGE);
});

test('is for /v1 alone, and in live mode not for the sandbox, which is not there', async () => {
  const key = await keyWith(RIGHTS, 'live');
  const clock = await send('POST', `${service.url}/v1/test_helpers/clock`, { key, body: {} });
  expect(clock.body.error.code).toBe('not_found');
  const ledger = await send('GET', `${service.url}/ledger/v1/refunds`, { key });
  expect(ledger.body.error.code).toBe('invalid_api_key');
});

test('an actor with a tab is refused on a write, and not looked at on a read', async () => {
  const sent = { key: shop.key, headers: { 'tillgate-actor': 'a\tb' } };
  const refused = await send('POST', `${service.url}/v1/refunds`, { ...sent, body: {} });
  expectInvalid(refused, ['Tillgate-Actor', 'invalid_format']);
  expect((await send('GET', `${service.url}/v1/refunds`, sent)).status).toBe(200);
});

test('two actors are none', async () => {
  const lines = ['Host: shop', `Authorization: Bearer ${shop.key}`, 'Tillgate-Actor: Ana', 'Tillgate-Actor: Ben'];
  expectInvalid(await sendBytes(service.url, head('POST /v1/refunds HTTP/1.1', ...lines)), [
    'Tillgate-Actor',
    'duplicate',
  ]);
});
