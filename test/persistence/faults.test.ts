import { describe, expect, test } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import {
  DatabaseFault,
  isRefusedStatement,
  isUnavailable,
  violates,
} from '../../src/persistence/faults.js';

test('a fault of the database is recognized by its class, whatever its message, and within the error of TypeORM', () => {
  const fault = new DatabaseFault('Any words.');
  expect(isUnavailable(fault)).toBe(true);
  expect(isUnavailable(new QueryFailedError('SELECT 1', [], fault))).toBe(true);
  expect(isUnavailable(new QueryFailedError('SELECT 1', [], new Error('Any words.')))).toBe(false);
  expect(isUnavailable(Object.assign(new Error('connect'), { code: 'EMFILE' }))).toBe(true);
  expect(isUnavailable(new Error('PostgreSQL did not answer in time.'))).toBe(false);
});

const fault = (facts: object, message = '') => Object.assign(new Error(message), facts);

describe('on a cluster of Citus,', () => {
  const KEY = 'idempotency_keys_pkey';
  const DUPLICATE = 'duplicate key value violates unique constraint';

  test.each([
    ['its name', { code: '23505', constraint: KEY }, '', true],
    [
      'its name with the number of a part',
      { code: '23505', constraint: `${KEY}_102010` },
      '',
      true,
    ],
    ['another name', { code: '23505', constraint: `${KEY}s` }, `${DUPLICATE} "${KEY}"`, false],
    ['a message of another node', { code: '23505' }, `${DUPLICATE} "${KEY}_102010"`, true],
    ['a message that names another', { code: '23505' }, `${DUPLICATE} "other_${KEY}"`, false],
    ['a message of another kind', { code: '42601' }, `syntax error at "${KEY}"`, false],
  ])('the name of a constraint is read from %s', (_, facts, message, expected) => {
    expect(violates(fault(facts, message), KEY)).toBe(expected);
  });

  test('a lost node refuses its statements only, and the connection stays good', () => {
    const message = 'connection to the remote node 10.0.0.7:5432 failed';
    expect(isRefusedStatement(fault({ code: '08006', severity: 'ERROR' }, message))).toBe(true);
    expect(isRefusedStatement(fault({ code: '08006', severity: 'FATAL' }))).toBe(false);
    expect(isUnavailable(fault({ code: '08006', severity: 'ERROR' }, message))).toBe(true);
  });

  test('a commit that a dying node cut off is reported as unavailable', () => {
    for (const message of [
      'could not commit transaction for shard 102008 on at least one active node',
      'SSL error: unexpected eof while reading\ninvalid socket',
    ])
      expect(isUnavailable(fault({ code: 'XX000' }, message))).toBe(true);
    expect(isUnavailable(fault({ code: 'XX000' }, 'cache lookup failed for relation 4711'))).toBe(
      false,
    );
  });
});
