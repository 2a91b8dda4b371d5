/**
 * On a real PostgreSQL, a batched write has the same effect for a row alone as for that row among
 * many.
 */
import { expect, test } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { insertInto } from '../../src/persistence/batch/batched-write.js';
import { createDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { createDatabase } from '../support/postgres.js';
import { unitsOf } from '../support/units.js';

@Entity('things')
class ThingRecord {
  @PrimaryColumn('integer')
  id!: number;

  @Column('text', { nullable: true })
  text!: string | null;

  @Column('text', { array: true, nullable: true })
  texts!: readonly string[] | null;

  @Column('json')
  json!: unknown;

  @Column('bytea')
  bytes!: Buffer;

  @Column('boolean')
  flag!: boolean;

  @Column('timestamptz')
  at!: Date;
}

const THING = insertInto<ThingRecord, { copies: number | null }>('new_thing', ThingRecord, {
  more: { copies: 'integer' },
  texts: [
    (rows) =>
      `INSERT INTO copies (id, copy) SELECT thing.id, copy FROM ${rows} AS thing CROSS JOIN generate_series(1, thing.copies) AS copy`,
  ],
});

const TEXTS = [
  '',
  'NULL',
  '{"a","b"}',
  `"quoted" 'text' \\n ${'€'.repeat(9)}`,
  'line\nline\t',
  null,
];
const things = TEXTS.map((text, id) => ({
  id,
  text,
  texts: id % 3 === 0 ? null : [text ?? 'none', 'a,b', '{}', 'NULL', ''],
  json: { [`"${text}`]: [text, { deep: [1, null, 'é'] }] },
  bytes: Buffer.from([0, 255, id, 92, 120]),
  flag: id % 2 === 0,
  at: new Date(1_700_000_000_123 + id),
  copies: id === 2 ? null : id,
}));

test('texts, arrays, JSON, bytes and NULLs of a row are stored the same alone and among many rows', async () => {
  const { url, drop } = await createDatabase({ empty: true });
  const dataSource = await createDataSource({
    url,
    poolSize: 2,
    records: [],
    timeLimits: true,
  }).initialize();
  try {
    await dataSource.query(`CREATE TABLE things (id integer PRIMARY KEY, text text, texts text[], json json NOT NULL,
      bytes bytea NOT NULL, flag boolean NOT NULL, at timestamptz NOT NULL);
      CREATE TABLE copies (id integer, copy integer)`);
    const stored = async () => {
      const kept = await dataSource.query('SELECT *, json::text FROM things ORDER BY id');
      const copies = await dataSource.query('SELECT * FROM copies ORDER BY id, copy');
      await dataSource.query('TRUNCATE things, copies');
      return { kept, copies };
    };
    const database = new Database(dataSource);
    const owner = { queue: 'test' };
    const units = unitsOf(database);
    // In a transaction, no row is sent alone after a refusal of several rows.
    await units.commit(owner, async (unit) => {
      database.atCommit(unit, async () => undefined);
      for (const thing of things) database.batched(unit, THING, thing);
    });
    const together = await stored();
    for (const thing of things)
      await units.commit(owner, async (unit) => database.batched(unit, THING, thing));
    expect(await stored()).toEqual(together);
    expect(together.kept).toEqual(
      things.map(({ copies, json, ...kept }) => ({ ...kept, json: JSON.stringify(json) })),
    );
    expect(together.copies.map(({ id }: { id: number }) => id)).toEqual([
      1, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5,
    ]);
  } finally {
    await dataSource.destroy();
    await drop();
  }
});
