import { expect, test } from '@jest/globals';
import { TypeormCallerClock } from '../../src/modules/access/adapters/persistence/typeorm-caller-clock.js';
import type { Database } from '../../src/persistence/database.js';
import { newId, ORGANIZATION_ID } from '../../src/shared/id.js';
import { TestClock } from '../support/clock.js';

const caller = { organization: newId(ORGANIZATION_ID, 0), mode: 'test' } as const;

test('a transaction reads a clock once, whoever asks in it, and for itself', async () => {
  let reads = 0;
  const database = {
    openTransaction: undefined as object | undefined,
    reading: async () => {
      reads += 1;
      return { aheadSeconds: 60 };
    },
  };
  const clock = new TypeormCallerClock(new TestClock(), database as unknown as Database);
  const readsAfter = async (transaction: object | undefined) => {
    database.openTransaction = transaction;
    const asked = await Promise.all([clock.at(caller), clock.at(caller), clock.at(caller)]);
    expect(new Set(asked.map(({ ahead }) => ahead))).toEqual(new Set([60_000]));
    return reads;
  };
  const [first, second] = [{}, {}];
  const counts = [];
  for (const transaction of [undefined, first, second, first])
    counts.push(await readsAfter(transaction));
  expect(counts).toEqual([1, 2, 3, 3]);
});
