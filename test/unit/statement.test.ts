import { expect, test } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { changeAmounts, hot, insertInto } from '../../src/engine/form.js';
import { composed } from '../../src/engine/statement.js';

@Entity('notes')
class NoteRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  note!: string;
}

const OWNER = { queue: 'test' };
const NOTE = insertInto<NoteRecord, { reader: string }>('new_note', NoteRecord, {
  more: { reader: 'text' },
  texts: ['INSERT INTO readers (reader) SELECT reader FROM new_note AS note'],
});
const FILL = changeAmounts('fill', 'purses', (amount) => `amount = amount + ${amount}`);
const note = (name: string) => hot(OWNER, NOTE, { organizationId: 'a', note: name, reader: 'b' });
const fill = hot(OWNER, FILL, { key: ['a', 'live', 'c'], amount: 5 });

test('of one row, the placeholders stand in the statement, and a change counts its row', () => {
  const [statement, values] = composed([note('one'), fill]);
  expect(statement).toEqual({
    name: 'new_note fill',
    text: `WITH part_1 AS (INSERT INTO readers (reader) SELECT reader \
FROM (SELECT $1::uuid AS organization_id, $2::text AS note, $3::text AS reader) AS note),
part_2 AS (UPDATE purses SET amount = amount + $7::bigint WHERE organization_id = $4::uuid AND mode = $5::text AND id = $6::uuid RETURNING 1)
INSERT INTO notes (organization_id, note) VALUES ($1::uuid, $2::text) RETURNING 1 / ((SELECT count(*) FROM part_2) = 1)::integer`,
  });
  expect(values).toEqual(['a', 'one', 'b', 'a', 'live', 'c', 5]);
});

test('many rows of many requests are arrays, wait 20 ms for a lock, and a change counts the rows that are named', () => {
  const [statement] = composed([note('one'), fill, note('two'), fill], true);
  expect(statement).toEqual({
    name: 'limited new_note* fill*',
    text: `WITH new_note AS (SELECT v1::uuid AS organization_id, v2::text AS note, v3::text AS reader \
FROM unnest($1::text[], $2::text[], $3::text[]) AS sent (v1, v2, v3), (SELECT set_config('lock_timeout', '20ms', true)) AS limited),
fill AS (SELECT v4::uuid AS organization_id, v5::text AS mode, v6::uuid AS id, v7::bigint AS amount \
FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS sent (v4, v5, v6, v7)),
part_1 AS (INSERT INTO readers (reader) SELECT reader FROM new_note AS note),
part_2 AS (UPDATE purses SET amount = amount + (SELECT sum(amount)::bigint FROM fill \
WHERE fill.organization_id = purses.organization_id AND fill.mode = purses.mode AND fill.id = purses.id) \
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM fill)) AND mode = ANY (ARRAY(SELECT mode FROM fill)) \
AND id = ANY (ARRAY(SELECT id FROM fill)) RETURNING 1)
INSERT INTO notes (organization_id, note) SELECT organization_id, note FROM new_note \
RETURNING 1 / ((SELECT count(*) FROM part_2) = (SELECT count(DISTINCT (organization_id, mode, id)) FROM fill))::integer`,
  });
});

test('a change alone must count its rows, because no insert does', () => {
  expect(() => composed([fill, note('one')])).toThrow(RangeError);
  expect(composed([{ ...fill, rows: 1 }])[0].text).toMatch(/^UPDATE purses .* AND id = \$3::uuid$/);
});

test('a name too long for PostgreSQL is cut, and still tells one composition from another', () => {
  const names = (last: string) => {
    const forms = [1, 2, 3, 4].map((at) => insertInto(`a_rather_long_name_${at}${last}`, NoteRecord));
    return composed(forms.map((form) => hot(OWNER, form, { organizationId: 'a', note: 'b' })))[0].name;
  };
  expect(names('x')).toHaveLength(63);
  expect(names('x')).not.toBe(names('y'));
});
