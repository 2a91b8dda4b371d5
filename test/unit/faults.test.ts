import { expect, test } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { DatabaseFault, isUnavailable } from '../../src/platform/database/faults.js';

test('a fault of ours is told by its class, whatever it says, and under the error of TypeORM', () => {
  const fault = new DatabaseFault('Any words.');
  expect(isUnavailable(fault)).toBe(true);
  expect(isUnavailable(new QueryFailedError('SELECT 1', [], fault))).toBe(true);
  expect(isUnavailable(new QueryFailedError('SELECT 1', [], new Error('Any words.')))).toBe(false);
  expect(isUnavailable(new Error('PostgreSQL did not answer in time.'))).toBe(false);
});
