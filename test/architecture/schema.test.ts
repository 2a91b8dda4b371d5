/** The migrated schema matches the records and the rules for tenants, and the migrations can be reverted. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';

import { recordsOf } from '../../src/app.module.js';
import { migrate, revertLast } from '../../src/migrate/migrate.js';
import { createMigrationDataSource, MIGRATIONS } from '../../src/platform/database/data-source.js';
import { type Catalog, readCatalog } from '../support/catalog.js';
import { createDatabase } from '../support/postgres.js';
import { readSchemas } from '../support/schema.js';

const STEPS = MIGRATIONS.map((Migration) => ({ name: Migration.name, Migration }));

/** What each module expects of its tables. A new module adds a file `schema/<module>.ts`. */
const EXPECTED = await readSchemas();

const isTransaction = (Migration: new () => MigrationInterface) => new Migration().transaction !== false;

describe('the migrated schema', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let catalog: Catalog;

  beforeAll(async () => {
    database = await createDatabase();
    catalog = await readCatalog(database.url);
  });

  afterAll(async () => database.drop());

  test('is what the records describe', async () => {
    const described = await createDatabase({ empty: true });
    const dataSource = await createMigrationDataSource(described.url, recordsOf()).initialize();
    try {
      await dataSource.synchronize();
      expect(sorted(await readCatalog(described.url))).toEqual(sorted(catalog));
    } finally {
      await dataSource.destroy();
      await described.drop();
    }
  });

  test('has a value in every column that always has one', () => {
    const nullable = catalog.columns.filter(({ nullable }) => nullable).map(({ table, name }) => `${table}.${name}`);
    expect(nullable.sort()).toEqual(EXPECTED.nullable);
  });

  test('has no counter that runs out of room', () => {
    const narrow = catalog.columns
      .filter(({ type }) => type === 'smallint')
      .map(({ table, name }) => `${table}.${name}`);
    expect(narrow.sort()).toEqual(Object.keys(EXPECTED.narrow).sort());
  });

  test('has every key', () => {
    const keys = catalog.constraints.filter(({ type }) => ['p', 'u', 'f'].includes(type));
    expect(Object.fromEntries(keys.map(({ name, table, definition }) => [name, `${table} ${definition}`]))).toEqual(
      EXPECTED.keys,
    );
  });

  test('has every partial key', () => {
    const keys = catalog.indexes.filter(({ definition }) => /^CREATE UNIQUE INDEX .* WHERE /.test(definition));
    const of = (definition: string) => definition.slice(definition.indexOf('('));
    expect(Object.fromEntries(keys.map(({ name, definition }) => [name, of(definition)]))).toEqual(
      EXPECTED.partialKeys,
    );
  });

  test('keeps what belongs to an organization under it', () => {
    const indexes = catalog.indexes.filter(({ table }) => EXPECTED.tenantTables.includes(table));
    const elsewhere = indexes.filter(({ columns }) => columns[0] !== 'organization_id').map(({ name }) => name);
    expect(elsewhere.sort()).toEqual(EXPECTED.indexesAcrossTenants);
  });

  test('can follow every foreign key backwards through an index', () => {
    const foreign = catalog.constraints.filter(({ type }) => type === 'f');
    const unindexed = foreign.filter(({ table, columns }) => {
      const own = catalog.indexes.filter((index) => index.table === table);
      return !own.some((index) => columns.every((column, place) => index.columns[place] === column));
    });
    expect(unindexed).toEqual([]);
  });
});

/** Records have no order of columns, and no storage parameters. */
function sorted({ columns, constraints, indexes }: Catalog) {
  const key = ({ table, name }: { table: string; name: string }) => `${table}.${name}`;
  return { columns: columns.toSorted((one, other) => (key(one) < key(other) ? -1 : 1)), constraints, indexes };
}

describe('the migrations', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeAll(async () => {
    database = await createDatabase({ empty: true });
  });

  afterAll(async () => database.drop());

  test('leave the same schema when they were taken back and run again', async () => {
    const names = MIGRATIONS.map(({ name }) => name);
    expect(await migrate(database.url)).toEqual(names);
    const first = await readCatalog(database.url);
    expect([...new Set(first.columns.map(({ table }) => table))].sort()).toEqual(EXPECTED.tables);

    for (const name of names.toReversed()) expect(await revertLast(database.url)).toBe(name);
    expect(await revertLast(database.url)).toBeUndefined();
    expect(await readCatalog(database.url)).toEqual({ columns: [], constraints: [], indexes: [], tables: [] });

    expect(await migrate(database.url)).toEqual(names);
    expect(await readCatalog(database.url)).toEqual(first);
  });
});

describe('each migration waits for a lock at most two seconds, so that no queue builds up behind it', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createDatabase({ empty: true });
    dataSource = await createMigrationDataSource(database.url).initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  test.each(STEPS)('$name up', async ({ Migration }) => {
    const limitOf = isTransaction(Migration) ? lockTimeoutOf : lockTimeoutAlone;
    expect(await limitOf((runner) => new Migration().up(runner))).toBe('2s');
  });

  test.each(STEPS.toReversed())('$name down', async ({ Migration }) => {
    const limitOf = isTransaction(Migration) ? lockTimeoutOf : lockTimeoutAlone;
    expect(await limitOf((runner) => new Migration().down(runner))).toBe('2s');
  });

  /** The lock_timeout of a migration; 0 is none. */
  async function lockTimeoutOf(step: (runner: QueryRunner) => Promise<void>): Promise<string> {
    return dataSource.transaction(async ({ queryRunner }) => limitAfter(step, queryRunner as QueryRunner));
  }

  /** The same of a step that is no transaction. */
  async function lockTimeoutAlone(step: (runner: QueryRunner) => Promise<void>): Promise<string> {
    const runner = dataSource.createQueryRunner();
    try {
      return await limitAfter(step, runner);
    } finally {
      await runner.query('RESET lock_timeout');
      await runner.release();
    }
  }

  async function limitAfter(step: (runner: QueryRunner) => Promise<void>, runner: QueryRunner): Promise<string> {
    await step(runner);
    const [row]: { lock_timeout: string }[] = await runner.query('SHOW lock_timeout');
    return row?.lock_timeout ?? '';
  }
});
