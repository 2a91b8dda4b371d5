import { expect, test } from '@jest/globals';
import { composed, type Part, partsOf, type Sql, several, valuesOf } from '../../src/platform/database/statement.js';

const part = (name: string, sql: Sql, ...values: readonly unknown[]): Part => ({
  name,
  owner: { queue: 'test' },
  sql,
  values,
});
const inserted = (name: string, table: string, ...columns: readonly string[]) =>
  part(name, (...values) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`, ...columns);

test('one part alone is itself', () => {
  expect(composed([inserted('keys.add', 'keys', 'a', 'b')])).toEqual({
    name: 'keys.add',
    text: 'INSERT INTO keys (a, b) VALUES ($1, $2)',
  });
});

test('each further part counts on where the one before it ended', () => {
  const update = part(
    'hold',
    (organization, id, held) => `UPDATE payments SET held = held + ${held}
    WHERE organization = ${organization} AND id = ${id}`,
    1,
    2,
    3,
  );
  const parts = [inserted('key', 'keys', 'a', 'b'), update, inserted('add', 'refunds', 'id')];
  expect(composed(parts)).toEqual({
    name: 'key hold add',
    text:
      'WITH part_0 AS (UPDATE payments SET held = held + $5\n    WHERE organization = $3 AND id = $4), ' +
      'part_1 AS (INSERT INTO refunds (id) VALUES ($6)) INSERT INTO keys (a, b) VALUES ($1, $2)',
  });
  expect(valuesOf(parts)).toEqual(['a', 'b', 1, 2, 3, 'id']);
});

test('a name too long for PostgreSQL is cut, and still tells one composition from another', () => {
  const names = (last: string) =>
    composed([1, 2, 3, 4].map((at) => inserted(`a.rather.long.name.${at}${last}`, 't', 'a')));
  expect(names('x').name).toHaveLength(63);
  expect(names('x').name).not.toBe(names('y').name);
});

test('what one port writes together is taken apart', async () => {
  const [event, delivery] = [part('event', () => 'SELECT 1'), part('delivery', () => 'SELECT 2')];
  expect(await partsOf([several('events.record', event, delivery), event])).toEqual([[event, delivery], [event]]);
});
