/** The collections that a caller can fill have a bound. */
import { expect, test } from '@jest/globals';
import { Authenticate } from '../../src/modules/access/application/authenticate.js';
import { ApiKey } from '../../src/modules/access/domain/api-key.js';
import { DueReceivers } from '../../src/modules/webhooks/application/due-receivers.js';
import { FairQueue } from '../../src/persistence/batch/fair-queue.js';
import { TokenBuckets } from '../../src/request/token-buckets.js';
import { TestClock } from '../support/clock.js';

const CLOCK = { now: () => Date.now(), monotonic: () => performance.now() };

const sizeOf = (owner: object, name: string): number =>
  (Reflect.get(owner, name) as Map<unknown, unknown>).size;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

test('the cache keeps 10,000 keys, looks up 8 keys at once, and looks up no unknown origin', async () => {
  const input = { kind: 'secret', mode: 'test', organization: 'org_x' } as const;
  const create = () => ApiKey.create(input, { now: Date.now(), ahead: 0 });
  const [made, forged] = [many(10_100).map(create), many(1_000).map(create)];
  const stored = new Map(made.map(({ key, token }) => [token, key]));
  let [atOnce, most] = [0, 0];
  const byToken = async (token: string) => {
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    return stored.get(token);
  };
  let readings = 0;
  const allowedOrigins = async () => {
    readings += 1;
    return new Set(['https://shop.example']);
  };
  const apiKeys = { byToken, allowedOrigins };
  const authenticate = new Authenticate(apiKeys as never, CLOCK, {} as never);
  await Promise.all(made.map(({ token }) => authenticate.execute(token)));
  await Promise.all(forged.map(({ token }) => authenticate.execute(token)));
  const origins = [...many(1_100).map(String), 'shop'].map((name) => `https://${name}.example`);
  const known = await Promise.all(origins.map((origin) => authenticate.isKnownOrigin(origin)));
  expect([readings, known.filter(Boolean), known.at(-1)]).toEqual([1, [true], true]);
  const [cached, underWay] = ['cache', 'underWay'].map((name) =>
    sizeOf(Reflect.get(authenticate, 'keys'), name),
  );
  expect([most, cached, underWay]).toEqual([8, 10_000, 0]);
});

test('the buckets of a limit have a bound, and the one that is not used for the longest time is dropped', () => {
  const buckets = new TokenBuckets({ perSecond: 1, clock: new TestClock() });
  for (const name of many(10_000)) buckets.take(String(name));
  const isFirstRefused = !buckets.take('0');
  buckets.take('another');
  expect(sizeOf(buckets, 'buckets')).toBe(10_000);
  expect([isFirstRefused, buckets.take('0'), buckets.take('1')]).toEqual([true, false, true]);
});

test('the endpoints that got an event have a bound', () => {
  const known = new DueReceivers();
  const [event, endpoint] = [{ mode: 'test', type: 'a.b' }, { id: 'we_x' }];
  for (const index of many(10_100))
    known.remember({ owner: `org_${index}`, event, endpoint } as never);
  expect(sizeOf(known, 'seen')).toBe(10_000);
  for (const index of many(20))
    known.remember({ owner: 'org_1', stored: `${index}.example`, event, endpoint } as never);
  expect(known.expectedFor({ organization: 'org_1', mode: 'test' }, 'a.b')).toHaveLength(16);
});

test('the shares of organizations are forgotten after their work', async () => {
  const shares = new FairQueue(1);
  const work = many(1_000).map((index) => shares.within(String(index), 1, async () => undefined));
  expect(sizeOf(shares, 'shares')).toBe(1_000);
  await Promise.all(work);
  expect(sizeOf(shares, 'shares')).toBe(0);
});
