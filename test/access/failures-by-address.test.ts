import { expect, test } from '@jest/globals';
import { ApiKey } from '../../src/modules/access/domain/api-key.js';
import { useOther, useService } from '../kit/setup.js';
import { atOnce, get, type Reply } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { createTenant } from '../support/tenants.js';

const LIST = '/v1/checkout_sessions';
const LIMIT = 20;

const service = useService({ config: { trustProxy: ['127.0.0.1', '::1'] } });
/** It trusts no proxy. */
const plain = useOther(service);

/** A key that nobody has given out, with the right checksum. */
function unknownKey(): string {
  const input = { kind: 'secret', mode: 'test', organization: 'org_x' } as const;
  return ApiKey.create(input, { now: Date.now(), ahead: 0 }).token;
}

const from = (address: string, key = unknownKey(), { url } = service): Promise<Reply> =>
  get(url + LIST, { key, headers: { 'x-forwarded-for': address, origin: 'https://shop.example' } });
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();

/** Until the attempts lie within one second of the limiter's: on a busy machine they may not at first. */
async function exhaust(attempt: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const refused = (await atOnce(2 * LIMIT, attempt)).find(({ status }) => status === 429);
    if (refused) return refused;
  }
}

test('an address that sends many unknown keys is rate-limited for a second', async () => {
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

test('a flood of unknown keys holds up no valid key at its address, seen before or not, and no other address', async () => {
  const tenants = await atOnce(30, () => createTenant(service));
  const keys = tenants.flatMap(({ test, live }) => [test, live]);
  let isFlooding = true;
  const flood = atOnce(2 * LIMIT, async () => {
    while (isFlooding) await from('203.0.113.2');
  });
  await exhaust(() => from('203.0.113.2'));
  // 403: let in, and then refused for the origin.
  for (const _ of ['first', 'again']) {
    expect(statuses(await Promise.all(keys.map((key) => from('203.0.113.2', key))))).toEqual(
      Array(60).fill(403),
    );
  }
  expect((await from('203.0.113.3')).status).toBe(401);
  isFlooding = false;
  await flood;
});

test('malformed keys are not counted', async () => {
  const malformed = await atOnce(3 * LIMIT, () => from('203.0.113.4', 'sk_test_x'));
  expect(statuses([...malformed, await from('203.0.113.4')])).toEqual(
    Array(3 * LIMIT + 1).fill(401),
  );
});

test('an IPv6 address is counted by its /64 network', async () => {
  let host = 0;
  await exhaust(() => from(`2001:db8:0:1::${(host++).toString(16)}`));
  expect((await from('2001:db8:0:2::1')).status).toBe(401);
});

test('loopback is not limited, and a forwarding header of an untrusted proxy is ignored', async () => {
  const local = () => get(service.url + LIST, { key: unknownKey() });
  expect(statuses(await atOnce(3 * LIMIT, local))).toEqual(Array(3 * LIMIT).fill(401));
  const forged = await atOnce(3 * LIMIT, () => from('203.0.113.5', unknownKey(), plain));
  expect(statuses(forged)).toEqual(Array(3 * LIMIT).fill(401));
});

test('an invalid address is limited like any other', async () => {
  expect([401, 429]).toContain((await from('unknown')).status);
});
