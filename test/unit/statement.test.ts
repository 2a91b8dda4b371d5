import { expect, test } from '@jest/globals';
import { compose, insertPart } from '../../src/platform/database/statement.js';

test('one part alone is itself', () => {
  expect(compose('one', insertPart('keys', ['a', 'b']))).toEqual({
    name: 'one',
    text: 'INSERT INTO keys (a, b) VALUES ($1, $2)',
  });
});

test('each further part counts on where the one before it ended', () => {
  const update = { parameters: 3, sql: 'UPDATE payments SET held = held + $3 WHERE organization = $1 AND id = $2' };
  expect(compose('three', insertPart('keys', ['a', 'b']), update, insertPart('refunds', ['id']))).toEqual({
    name: 'three',
    text:
      'WITH part_0 AS (UPDATE payments SET held = held + $5 WHERE organization = $3 AND id = $4), ' +
      'part_1 AS (INSERT INTO refunds (id) VALUES ($6)) INSERT INTO keys (a, b) VALUES ($1, $2)',
  });
});

test('a placeholder may repeat, and one with two digits is one placeholder', () => {
  const columns = Array.from({ length: 11 }, (_, index) => `c${index}`);
  const twice = { parameters: 1, sql: 'UPDATE t SET a = $1 WHERE b <> $1' };
  const { text } = compose('wide', insertPart('first', columns), twice, insertPart('last', columns));
  expect(text).toContain('SET a = $12 WHERE b <> $12');
  expect(text).toContain('VALUES ($13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23))');
  expect(text).toMatch(/VALUES \(\$1, \$2, .*\$10, \$11\)$/);
});
