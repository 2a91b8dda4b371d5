import { expect, test } from '@jest/globals';
import { PostgresCallerClock } from '../../src/modules/access/adapters/persistence/postgres-caller-clock.js';
import type { Database } from '../../src/platform/database/database.js';
import { newId, ORGANIZATION_ID } from '../../src/shared/id.js';
import { TestClock } from '../support/clock.js';

const caller = { organization: newId(ORGANIZATION_ID, 0), mode: 'test' } as const;

test('a transaction reads a clock once, whoever asks in it, and for itself', async () => {
  const reads: unknown[] = [];
  const database = {
    openTransaction: undefined as object | undefined,
    read: async (_owner: unknown, _statement: unknown, values: unknown) => {
      reads.push(values);
      return [{ seconds: 60 }];
    },
  };
  const clock = new PostgresCallerClock(new TestClock(), database as unknown as Database);
  const readsAfter = async (transaction: object | undefined) => {
    database.openTransaction = transaction;
    const asked = await Promise.all([clock.at(caller), clock.at(caller), clock.at(caller)]);
    expect(new Set(asked.map(({ ahead }) => ahead))).toEqual(new Set([60_000]));
    return reads.length;
  };
  const [first, second] = [{}, {}];
  const counts = [];
  for (const transaction of [undefined, first, second, first]) counts.push(await readsAfter(transaction));
  expect(counts).toEqual([1, 2, 3, 3]);
});
