import { expect, test } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { insertAllInto, insertInto, selectionOf } from '../../src/platform/database/columns.js';
import { FIRST_UUID, NO_ORGANIZATION } from '../../src/shared/id.js';

const OWNER = { organization: NO_ORGANIZATION };

@Entity('things')
class ThingRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('json', { name: 'line_items' })
  lineItems!: readonly string[];

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}

@Entity('moments')
class MomentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz', { name: 'made_at' })
  at!: Date;
}

test('a selection has all columns but the organization, each under its property', () => {
  expect(selectionOf(ThingRecord, { expiresAt: 'extract(epoch FROM expires_at)' })).toBe(
    'id AS "id", line_items AS "lineItems", extract(epoch FROM expires_at) AS "expiresAt"',
  );
});

test('a selection may name its columns', () => {
  expect(selectionOf(ThingRecord, {}, ['lineItems', 'id'])).toBe('id AS "id", line_items AS "lineItems"');
});

test('rows of one organization are inserted by arrays, one for each other column', () => {
  const rows = ['i', 'j'].map((id) => ({ organizationId: FIRST_UUID, id, at: new Date(0) }));
  expect(insertAllInto('moments.add_all', MomentRecord).part(NO_ORGANIZATION, rows)).toEqual({
    name: 'moments.add_all',
    owner: { organization: NO_ORGANIZATION },
    sql: expect.stringMatching(
      /^INSERT INTO moments \(organization_id, id, made_at\)\s+SELECT \$1::uuid, id, made_at FROM unnest\(\$2::uuid\[\], \$3::timestamptz\[\]\) AS inserted \(id, made_at\)$/,
    ),
    values: [FIRST_UUID, ['i', 'j'], Array(2).fill(new Date(0).toISOString())],
  });
});

test('an insert takes its values by name, in any order', () => {
  const insert = insertInto('things.add', ThingRecord);
  const expiresAt = new Date(0);
  expect(insert(OWNER, { lineItems: ['a'], id: 'i', expiresAt, organizationId: 'o' })).toEqual({
    name: 'things.add',
    owner: OWNER,
    sql: 'INSERT INTO things (organization_id, id, line_items, expires_at) VALUES ($1, $2, $3, $4)',
    values: ['o', 'i', '["a"]', expiresAt.toISOString()],
  });
});

test('an insert may write more than the value', () => {
  const later = (seconds: string) => `now() + make_interval(secs => ${seconds})`;
  const insert = insertInto<ThingRecord, { expiresAt: number }>('things.add', ThingRecord, { expiresAt: later });
  expect(insert(OWNER, { organizationId: 'o', id: 'i', lineItems: [], expiresAt: 5 })).toMatchObject({
    sql: expect.stringMatching(/VALUES \(\$1, \$2, \$3, now\(\) \+ make_interval\(secs => \$4\)\)$/),
    values: ['o', 'i', '[]', 5],
  });
});
