/** These rules of statements are visible in no file of docs/sql. */
import { expect, test } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { changeAmounts, insertInto, partOf } from '../../src/persistence/batch/batched-write.js';
import { composed } from '../../src/persistence/batch/statement.js';
import { findById, statement } from '../../src/persistence/statement.js';

@Entity('notes')
class NoteRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  note!: string;
}

const OWNER = { queue: 'test' };
const FILL = changeAmounts(
  'fill',
  'purses',
  'is_closed',
  (amount) => `amount = amount + ${amount}`,
);
const fill = partOf(OWNER, FILL, { key: ['a', 'live', 'c'], amount: 5, seen: false });
const note = (name: string) =>
  partOf(OWNER, insertInto(name, NoteRecord), { organizationId: 'a', note: 'b' });

test('a change without an insert must count its rows', () => {
  expect(() => composed([fill, note('new_note')])).toThrow(RangeError);
  expect(composed([{ ...fill, rows: 1 }])[0].text).toMatch(
    /^UPDATE purses .* AND id = \$3::uuid AND purses.is_closed = \$5::boolean$/,
  );
});

test('a name that is too long for PostgreSQL is cut, and stays different from other names', () => {
  const names = (last: string) =>
    composed([1, 2, 3, 4].map((at) => note(`a_rather_long_name_${at}${last}`)))[0].name;
  expect(names('x')).toHaveLength(63);
  expect(names('x')).not.toBe(names('y'));
});

interface Note {
  readonly organization: string;
  readonly note: string | null;
}

test('equal names in a statement get one number, and each value goes to the number of its name', () => {
  const FIND = statement<Note>(
    'notes.find',
    ({ note, organization }) =>
      `SELECT ${organization} WHERE note = ${note} OR ${note} IS NULL AND id = ${organization}`,
  );
  expect(FIND.of({ organization: 'a', note: null })).toEqual([
    { name: 'notes.find', text: 'SELECT $2 WHERE note = $1 OR $1 IS NULL AND id = $2' },
    [null, 'a'],
  ]);
});

test('a statement that finds a row by its ID has another one for many IDs, with the same places', () => {
  const FIND = findById<{ id: string; organization: string }>(
    'notes.find',
    ({ organization, id }) => `SELECT ${organization} FROM notes WHERE id = ${id}`,
  );
  expect(FIND.of({ id: 'a', organization: 'b' })).toEqual([
    {
      name: 'notes.find',
      text: 'SELECT $1 FROM notes WHERE id = $2',
      findMany: {
        statement: {
          name: 'notes.find_many',
          text: 'SELECT $1 FROM notes WHERE id = ANY ($2::uuid[])',
        },
        index: 1,
      },
    },
    ['b', 'a'],
  ]);
});

test('a statement without a place for a value is refused when its module is loaded', () => {
  const make = () => statement<Note>('notes.all', ({ note }) => `SELECT 1 -- ${note.length}`);
  expect(make).toThrow('notes.all has no place for note.');
});
