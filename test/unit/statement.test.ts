/** What no statement of docs/sql shows. */
import { expect, test } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { changeAmounts, insertInto, partOf } from '../../src/persistence/batch/batched-write.js';
import { composed } from '../../src/persistence/batch/statement.js';

@Entity('notes')
class NoteRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  note!: string;
}

const OWNER = { queue: 'test' };
const FILL = changeAmounts('fill', 'purses', (amount) => `amount = amount + ${amount}`);
const fill = partOf(OWNER, FILL, { key: ['a', 'live', 'c'], amount: 5 });
const note = (name: string) =>
  partOf(OWNER, insertInto(name, NoteRecord), { organizationId: 'a', note: 'b' });

test('a change alone must count its rows, because no insert does', () => {
  expect(() => composed([fill, note('new_note')])).toThrow(RangeError);
  expect(composed([{ ...fill, rows: 1 }])[0].text).toMatch(/^UPDATE purses .* AND id = \$3::uuid$/);
});

test('a name too long for PostgreSQL is cut, and still tells one composition from another', () => {
  const names = (last: string) =>
    composed([1, 2, 3, 4].map((at) => note(`a_rather_long_name_${at}${last}`)))[0].name;
  expect(names('x')).toHaveLength(63);
  expect(names('x')).not.toBe(names('y'));
});
