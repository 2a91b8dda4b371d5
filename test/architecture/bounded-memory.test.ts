/** Every collection that lives as long as the process and grows with requests has a bound. A new one fails this test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { FailuresByAddress } from '../../src/modules/access/adapters/http/failures-by-address.js';
import { RateLimitGuard } from '../../src/modules/access/adapters/http/rate-limit.guard.js';
import { Authenticate } from '../../src/modules/access/application/authenticate.js';
import { ApiKey } from '../../src/modules/access/domain/api-key.js';
import { KnownEndpoints } from '../../src/modules/events/adapters/schedule/known-endpoints.js';
import { ReceiverHealth } from '../../src/modules/events/domain/receiver.js';
import { MovedClocks } from '../../src/modules/sandbox/index.js';
import { Shares } from '../../src/platform/database/shares.js';

const CLOCK = { now: () => Date.now(), monotonic: () => performance.now() };
const ACCESS = 'src/modules/access';
const EVENTS = 'src/modules/events';
const PAGE = 'src/modules/page';

/** Each collection, and its bound. A function at the top of a file may return what keeps its collections. */
const BOUNDS: Readonly<Record<string, string>> = {
  'src/cli/doctor/payment-urls.ts led': 'one call',
  [`${ACCESS}/adapters/http/failures-by-address.ts limiter`]: 'a number of buckets; filled below',
  [`${ACCESS}/adapters/http/key.guard.ts credentials`]: 'routes',
  [`${ACCESS}/adapters/http/rate-limit.guard.ts buckets`]: 'the oldest goes; filled below',
  [`${ACCESS}/application/authenticate.ts keys`]: 'the oldest goes; filled below',
  [`${ACCESS}/application/authenticate.ts origins`]: 'the oldest goes; filled below',
  [`${EVENTS}/adapters/delivery/connections.ts idle`]: 'MAX_IDLE',
  [`${EVENTS}/adapters/delivery/names.ts failed`]: 'MAX_REMEMBERED, and a minute',
  [`${EVENTS}/adapters/persistence/finished-attempts.ts waiting`]: 'attempts under way',
  [`${EVENTS}/adapters/schedule/attempts-under-way.ts all`]: 'AT_ONCE of the scheduler',
  [`${EVENTS}/adapters/schedule/attempts-under-way.ts counts`]: 'attempts under way',
  [`${EVENTS}/adapters/schedule/due-receivers.ts due`]: 'MAX_DUE for each organization',
  [`${EVENTS}/adapters/schedule/known-endpoints.ts seen`]: 'the oldest goes; filled below',
  [`${EVENTS}/adapters/schedule/webhook-scheduler.ts nextReceiver`]: 'organizations, which operators make',
  [`${EVENTS}/application/share-attempts.ts queues`]: 'one call',
  [`${EVENTS}/application/share-attempts.ts taken`]: 'one call',
  [`${EVENTS}/domain/receiver.ts known`]: 'the oldest goes; filled below',
  'src/modules/sandbox/adapters/schedule/announcements.ts waiting':
    'announcements under way, each of which removes its own',
  'src/modules/checkout/adapters/representation/checkout-sessions.views.ts rendered': 'weak: sessions in use',
  [`${PAGE}/adapters/representation/amounts.ts formats`]: 'MAX_FORMATS',
  'src/modules/sandbox/adapters/schedule/moved-clocks.ts ahead': 'organizations, which operators make',
  'src/platform/database/database.ts RETRYABLE': 'a constant',
  'src/platform/database/citus.ts known': 'weak: the database of the application',
  'src/platform/database/organization-scope.ts seen': 'named statements, which are constants',
  'src/platform/database/places.ts found': 'one call',
  'src/platform/database/prepared-query.ts described': 'weak: connections of the pool',
  'src/platform/database/reads.ts batches': 'texts of statements, which are constants',
  'src/platform/database/shares.ts shares': 'organizations with a query under way; filled below',
  'src/platform/database/statement.ts known': 'sequences of parts, which are constants',
  'src/platform/http/connections.ts open': 'maxConnections of the server',
  'src/validation/constraints.ts known': 'request classes',
  'src/validation/validation.ts compiled': 'request classes',
  'src/idempotency/idempotency.ts running': 'requests under way, each of which removes its own',
  'src/openapi/reference.controller.ts files': 'files of the reference page',
  'src/process/channel.ts waiting': 'questions between the processes of a service',
  'src/process/summed-metrics.ts latest': 'processes of a service',
  'src/process/workers.ts serving': 'processes of a service',
  'src/shared/money.ts KNOWN': 'a constant',
};

test('every collection that lives as long as the process has a bound', () => {
  const pattern =
    /^(?:(?:export | {2})?const| {2}(?:private |protected |static |readonly )+)\s*(\w+)[^=\n]* = new (?:Weak)?(?:Map|Set|RateLimiterMemory)\b/gm;
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.flatMap((file) => {
    const path = join('src', file);
    return [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, name]) => `${path} ${name}`);
  });
  expect(found.sort()).toEqual(Object.keys(BOUNDS).sort());
});

const sizeOf = (owner: object, name: string): number => (Reflect.get(owner, name) as Map<unknown, unknown>).size;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

test('keys and origins that are unknown', async () => {
  const apiKeys = { byToken: async () => undefined, anyAllows: async () => false };
  const authenticate = new Authenticate(apiKeys as never, CLOCK, new MovedClocks(CLOCK));
  const input = { kind: 'secret', mode: 'test', organization: 'org_x', allowedOrigins: [], expiresAt: null } as const;
  for (const _ of many(10_100)) await authenticate.execute(ApiKey.create(input, { now: Date.now(), ahead: 0 }).token);
  for (const index of many(1_100)) await authenticate.isKnownOrigin(`https://${index}.example`);
  expect([sizeOf(authenticate, 'keys'), sizeOf(authenticate, 'origins')]).toEqual([10_000, 1_000]);
});

test('addresses that come with unknown keys', async () => {
  // All in one second.
  jest.useFakeTimers();
  const failures = new FailuresByAddress();
  for (const index of many(100_000)) await failures.count(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  jest.useRealTimers();
  const limiter = Reflect.get(failures, 'limiter') as { _memoryStorage: object };
  const size = sizeOf(limiter._memoryStorage, '_storage');
  expect(size).toBeLessThanOrEqual(16 ** 4);
  expect(size).toBeGreaterThan(16 ** 4 / 2);
});

test('buckets of organizations', () => {
  const guard = new RateLimitGuard({ rateLimitRps: 5 } as never, CLOCK);
  for (const organization of many(10_100)) {
    const request = { apiKey: { state: { organization, mode: 'test', id: 'key_x' } } };
    guard.canActivate({ getArgByIndex: () => request } as never);
  }
  expect(sizeOf(guard, 'buckets')).toBe(10_000);
});

test('receivers that fail', () => {
  const health = new ReceiverHealth();
  for (const index of many(10_100)) health.record(`org_x ${index}.example:443`, false, 1_000);
  expect(sizeOf(health, 'known')).toBe(10_000);
});

test('endpoints that got an event', () => {
  const known = new KnownEndpoints();
  const [event, endpoint] = [{ mode: 'test', type: 'a.b' }, { id: 'we_x' }];
  for (const index of many(10_100)) known.learn({ owner: `org_${index}`, event, endpoint } as never);
  expect(sizeOf(known, 'seen')).toBe(10_000);
  for (const index of many(20)) known.learn({ owner: 'org_1', stored: `${index}.example`, event, endpoint } as never);
  expect(known.receiversOf({ organization: 'org_1', mode: 'test' }, 'a.b')).toHaveLength(16);
});

test('shares of organizations', async () => {
  const shares = new Shares(1);
  const work = many(1_000).map((owner) => shares.within(String(owner), 1, async () => undefined));
  expect(sizeOf(shares, 'shares')).toBe(1_000);
  await Promise.all(work);
  expect(sizeOf(shares, 'shares')).toBe(0);
});
