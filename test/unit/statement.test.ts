import { expect, test } from '@jest/globals';
import { composed, insertText, type Part, partsOf, several, valuesOf } from '../../src/platform/database/statement.js';

const part = (name: string, sql: string, ...values: readonly unknown[]): Part => ({
  name,
  owner: { queue: 'test' },
  sql,
  values,
});
const inserted = (name: string, table: string, ...columns: readonly string[]) =>
  part(name, insertText(table, columns), ...columns);

test('one part alone is itself', () => {
  expect(composed([inserted('keys.add', 'keys', 'a', 'b')])).toEqual({
    name: 'keys.add',
    text: 'INSERT INTO keys (a, b) VALUES ($1, $2)',
  });
});

test('each further part counts on where the one before it ended', () => {
  const update = part('hold', 'UPDATE payments SET held = held + $3 WHERE organization = $1 AND id = $2', 1, 2, 3);
  const parts = [inserted('key', 'keys', 'a', 'b'), update, inserted('add', 'refunds', 'id')];
  expect(composed(parts)).toEqual({
    name: 'key hold add',
    text:
      'WITH part_0 AS (UPDATE payments SET held = held + $5 WHERE organization = $3 AND id = $4), ' +
      'part_1 AS (INSERT INTO refunds (id) VALUES ($6)) INSERT INTO keys (a, b) VALUES ($1, $2)',
  });
  expect(valuesOf(parts)).toEqual(['a', 'b', 1, 2, 3, 'id']);
});

test('a placeholder may repeat, and one with two digits is one placeholder', () => {
  const columns = Array.from({ length: 11 }, (_, index) => `c${index}`);
  const twice = part('twice', 'UPDATE t SET a = $1 WHERE b <> $1', 1);
  const { text } = composed([inserted('first', 'first', ...columns), twice, inserted('last', 'last', ...columns)]);
  expect(text).toContain('SET a = $12 WHERE b <> $12');
  expect(text).toContain('VALUES ($13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23))');
  expect(text).toMatch(/VALUES \(\$1, \$2, .*\$10, \$11\)$/);
});

test('a name too long for PostgreSQL is cut, and still tells one composition from another', () => {
  const names = (last: string) =>
    composed([1, 2, 3, 4].map((at) => inserted(`a.rather.long.name.${at}${last}`, 't', 'a')));
  expect(names('x').name).toHaveLength(63);
  expect(names('x').name).not.toBe(names('y').name);
});

test('what one port writes together is taken apart', async () => {
  const [event, delivery] = [part('event', 'SELECT 1'), part('delivery', 'SELECT 2')];
  expect(await partsOf([several('events.record', event, delivery), event])).toEqual([event, delivery, event]);
});
