/** These tests move the clock of the cache of look-ups. */
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { LookupCache } from '../../src/modules/access/application/lookup-cache.js';
import { Clock } from '../../src/shared/clock.js';

const MAX_AGE = 100;

class MovedClock extends Clock {
  time = 0;

  override monotonic(): number {
    return this.time;
  }
}

let clock: MovedClock;
let cache: LookupCache<string>;
let lookUps: PromiseWithResolvers<string>[];

beforeEach(() => {
  clock = new MovedClock();
  cache = new LookupCache(clock, MAX_AGE, 10);
  lookUps = [];
});

const get = () =>
  cache.get('name', () => {
    const lookUp = Promise.withResolvers<string>();
    lookUps.push(lookUp);
    return lookUp.promise;
  });

async function found(value: string): Promise<void> {
  const first = get();
  lookUps.at(-1)?.resolve(value);
  expect(await first).toBe(value);
  await setImmediate();
}

test('returns a young value at once, without a look-up', async () => {
  await found('first');
  clock.time = 74;
  expect([get(), lookUps.length]).toEqual(['first', 1]);
});

test('returns an ageing value at once, while one look-up replaces it', async () => {
  await found('first');
  clock.time = 75;
  expect([get(), get(), lookUps.length]).toEqual(['first', 'first', 2]);
  lookUps[1]?.resolve('second');
  await setImmediate();
  expect([get(), lookUps.length]).toEqual(['second', 2]);
});

test('returns a value that is too old to nobody, and shares its look-up', async () => {
  await found('first');
  clock.time = 80;
  get();
  clock.time = 100;
  const values = [get(), get()];
  lookUps[1]?.resolve('second');
  expect([await Promise.all(values), lookUps.length]).toEqual([['second', 'second'], 2]);
});

test('serves no later call by a look-up that began too long ago', async () => {
  get();
  clock.time = 100;
  const later = get();
  lookUps[1]?.resolve('new');
  lookUps[0]?.resolve('old');
  expect([await later, get()]).toEqual(['new', 'new']);
});

test('keeps the value after a failed look-up until it is too old', async () => {
  await found('first');
  clock.time = 80;
  get();
  lookUps[1]?.reject(new Error('no connection'));
  await lookUps[1]?.promise.catch(() => undefined);
  expect(get()).toBe('first');
  clock.time = 100;
  const last = get();
  lookUps.at(-1)?.reject(new Error('no connection'));
  await expect(last).rejects.toThrow('no connection');
});

test('keeps nothing that was found before the values were dropped', async () => {
  await found('first');
  clock.time = 80;
  get();
  cache.clear();
  lookUps[1]?.resolve('second');
  await setImmediate();
  const later = get();
  lookUps.at(-1)?.resolve('third');
  expect([await later, lookUps.length]).toEqual(['third', 3]);
});
