import { expect, test } from '@jest/globals';
import { ApiKey } from '../../src/modules/access/domain/api-key.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce, get, type Reply } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { createTenant } from '../support/tenants.js';

const LIST = '/v1/checkout_sessions';
const LIMIT = 20;

const service = useService({ config: { trustProxy: ['127.0.0.1', '::1'] } });
/** This instance trusts no proxy. */
const plain = useOther(service);

/** Returns a key with the right checksum that was never given out. */
function unknownKey(): string {
  const input = { kind: 'secret', mode: 'test', organization: 'org_x' } as const;
  return ApiKey.create(input, { now: Date.now(), ahead: 0 }).token;
}

const from = (address: string, key = unknownKey(), { url } = service): Promise<Reply> =>
  get(url + LIST, { key, headers: { 'x-forwarded-for': address, origin: 'https://shop.example' } });
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();

/**
 * Repeats the attempts until they lie within one second of the limiter. A busy machine may need
 * several rounds.
 */
async function exhaust(attempt: () => Promise<Reply>): Promise<Reply> {
  for (let round = 0; round < 100; round++) {
    const refused = (await atOnce(2 * LIMIT, attempt)).find(({ status }) => status === 429);
    if (refused) return refused;
  }
  throw new Error('The service refused none of 100 rounds of attempts.');
}

test('limits for a second an address that sends many unknown keys', async () => {
  const refused = await exhaust(() => from('203.0.113.1'));
  expectError(refused, {
    status: 429,
    code: 'rate_limited',
    nextStep: { type: 'retry', path: LIST, method: 'GET' },
  });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect([...refused.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual(
    [],
  );
  let later = refused;
  while (later.status === 429) later = await from('203.0.113.1');
  expect(later.status).toBe(401);
});

test('lets valid keys and other addresses in during a flood of unknown keys', async () => {
  const tenants = await atOnce(30, () => createTenant(service));
  const keys = tenants.flatMap(({ test, live }) => [test, live]);
  let isFlooding = true;
  const flood = atOnce(2 * LIMIT, async () => {
    while (isFlooding) await from('203.0.113.2');
  });
  await exhaust(() => from('203.0.113.2'));
  // The status 403 shows that the key was let in, because its origin is refused afterwards.
  for (const _ of ['first', 'again']) {
    expect(statuses(await Promise.all(keys.map((key) => from('203.0.113.2', key))))).toEqual(
      Array(60).fill(403),
    );
  }
  expect((await from('203.0.113.3')).status).toBe(401);
  isFlooding = false;
  await flood;
});

test('does not count malformed keys', async () => {
  const malformed = await atOnce(3 * LIMIT, () => from('203.0.113.4', 'sk_test_x'));
  expect(statuses([...malformed, await from('203.0.113.4')])).toEqual(
    Array(3 * LIMIT + 1).fill(401),
  );
});

test('counts an IPv6 address by its /64 network', async () => {
  let host = 0;
  await exhaust(() => from(`2001:db8:0:1::${(host++).toString(16)}`));
  expect((await from('2001:db8:0:2::1')).status).toBe(401);
});

test('does not limit loopback, and ignores the forwarding header of an untrusted proxy', async () => {
  const local = () => get(service.url + LIST, { key: unknownKey() });
  expect(statuses(await atOnce(3 * LIMIT, local))).toEqual(Array(3 * LIMIT).fill(401));
  const forged = await atOnce(3 * LIMIT, () => from('203.0.113.5', unknownKey(), plain));
  expect(statuses(forged)).toEqual(Array(3 * LIMIT).fill(401));
});

test('limits an address that cannot be parsed like any other', async () => {
  const refused = await exhaust(() => from('unknown'));
  expectError(refused, {
    status: 429,
    code: 'rate_limited',
    nextStep: { type: 'retry', path: LIST, method: 'GET' },
  });
});
