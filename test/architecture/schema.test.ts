/**
 * The migrated tables have the columns that the records map and follow the rules for tenants, and
 * the migrations can be reverted.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type DataSource, getMetadataArgsStorage, type MigrationInterface } from 'typeorm';

import { recordsOf } from '../../src/app.module.js';
import { migrate, revertLast } from '../../src/operator/migrate/migrate.js';
import { createMigrationDataSource, MIGRATIONS } from '../../src/persistence/data-source.js';
import { type Catalog, readCatalog } from '../support/catalog.js';
import { createDatabase } from '../support/postgres.js';

const STEPS = MIGRATIONS.map((Migration) => ({
  name: Migration.name,
  Migration: Migration as new () => MigrationInterface,
}));

/**
 * These tables belong to the installation or to the ledger. The rows of every other table belong to
 * an organization.
 */
const SHARED = [
  'api_keys',
  'encryption_keys',
  'ledger_webhook_endpoints',
  'operator_events',
  'organizations',
  'page_secrets',
];

/**
 * Each smallint and integer never needs more room, for the reason beside it: 2,000 million changes
 * of one row take 60 years at one a second.
 */
const NARROW = {
  'checkout_sessions.awaits': 'as payments.version',
  'encryption_keys.id': 'keys that operators make',
  'events.sequence': 'sequence_base counts on',
  'events.sequence_base': 'as payments.version',
  'idempotency_keys.status': 'three digits',
  'ledger_webhook_endpoints.place': 'at most 16, by its type',
  'organizations.details_retention_days': 'at most 3,650, by its type',
  'page_secrets.id': 'always 1, by a check',
  'payments.version': 'changes of one payment',
  'refunds.claim_number': 'claims of one refund, which wait for its lease',
  'refunds.lapses': 'leases of one refund that ran out',
  'sandbox_clocks.ahead_seconds': 'at most 400 days, by its type',
  'sandbox_clocks.scheduled_seconds': 'at most 400 days, by its type',
  'webhook_attempts.attempt': 'as webhook_deliveries.attempts',
  'webhook_attempts.duration_ms': 'bounded by the timeout',
  'webhook_attempts.status_code': 'three digits, by HTTP',
  'webhook_deliveries.attempts': 'stays at the largest; given up after 1,000, resent up to 100',
  'webhook_endpoints.place': 'at most 16, by its type',
};

describe('the migrated schema', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let catalog: Catalog;

  beforeAll(async () => {
    database = await createDatabase();
    catalog = await readCatalog(database.url);
  });

  afterAll(async () => database.drop());

  test('has the columns that the records map', () => {
    const keys = catalog.constraints.filter(({ type }) => type === 'p');
    const names = mapped().map(({ table, name }) => `${table}.${name}`);
    const inRecords = catalog.columns.filter(({ table, name }) =>
      names.includes(`${table}.${name}`),
    );
    const columns = inRecords.map(({ table, name, base: type, nullable }) => {
      const isKey = keys.some((key) => key.table === table && key.columns.includes(name));
      return { table, name, type, nullable, isKey };
    });
    expect(mapped().sort(byName)).toEqual(columns.sort(byName));
  });

  test('has the enums that the records name, with their members in order', () => {
    const types = catalog.types.filter(({ type }) => type === 'e');
    const enums = Object.fromEntries(types.map(({ name, members }) => [name, members]));
    expect(enumsOfRecords()).toEqual(enums);
  });

  test('has no counter that runs out of room', () => {
    const narrow = catalog.columns
      .filter(({ base }) => base === 'smallint' || base === 'integer')
      .map(({ table, name }) => `${table}.${name}`);
    expect(narrow.sort()).toEqual(Object.keys(NARROW));
  });

  // A distributed database accepts a key only if it begins with the column by which the rows are
  // placed.
  test('begins every key of a table of organizations with organization_id', () => {
    const keys = catalog.indexes.filter(({ definition }) =>
      definition.startsWith('CREATE UNIQUE INDEX'),
    );
    const elsewhere = keys.filter(
      ({ table, columns }) => !SHARED.includes(table) && columns[0] !== 'organization_id',
    );
    expect(elsewhere.map(({ name }) => name)).toEqual([]);
    expect(new Set(keys.map(({ table }) => table)).size).toBe(catalog.tables.length);
  });

  test('can follow every foreign key backwards through an index', () => {
    const foreign = catalog.constraints.filter(({ type }) => type === 'f');
    const unindexed = foreign.filter(({ table, columns }) => {
      const own = catalog.indexes.filter((index) => index.table === table);
      return !own.some((index) =>
        columns.every((column, place) => index.columns[place] === column),
      );
    });
    expect(unindexed).toEqual([]);
  });
});

/** Returns what TypeORM reads from the records, with PostgreSQL's names of types. */
function mapped() {
  const { columns, tables } = getMetadataArgsStorage();
  return recordsOf().flatMap((record) => {
    const table = `${tables.find(({ target }) => target === record)?.name}`;
    const own = columns.filter(({ target }) => target === record);
    return own.map(
      ({
        propertyName,
        options: { name = propertyName, type, enumName, array, nullable = false, primary },
      }) => {
        const typeName = type === 'timestamptz' ? 'timestamp with time zone' : `${type}`;
        const named = enumName ?? typeName;
        return {
          table,
          name,
          type: array ? `${named}[]` : named,
          nullable,
          isKey: primary ?? false,
        };
      },
    );
  });
}

function enumsOfRecords() {
  const { columns } = getMetadataArgsStorage();
  const own = columns.filter(({ target }) => recordsOf().some((record) => record === target));
  const enums = own.filter(({ options }) => options.enumName !== undefined);
  return Object.fromEntries(enums.map(({ options }) => [options.enumName, options.enum]));
}

type Named = Pick<Catalog['columns'][number], 'table' | 'name'>;
const byName = (one: Named, other: Named) =>
  `${one.table}.${one.name}` < `${other.table}.${other.name}` ? -1 : 1;

describe('the migrations', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeAll(async () => {
    database = await createDatabase({ empty: true });
  });

  afterAll(async () => database.drop());

  test('leave the same schema when they were reverted and run again', async () => {
    const names = MIGRATIONS.map(({ name }) => name);
    expect(await migrate(database.url)).toEqual(names);
    const first = await readCatalog(database.url);
    expect(first.tables.length).toBeGreaterThan(SHARED.length);

    for (const name of names.toReversed()) expect(await revertLast(database.url)).toBe(name);
    expect(await revertLast(database.url)).toBeUndefined();
    expect(await readCatalog(database.url)).toEqual({
      types: [],
      columns: [],
      constraints: [],
      indexes: [],
      tables: [],
    });

    expect(await migrate(database.url)).toEqual(names);
    expect(await readCatalog(database.url)).toEqual(first);
  });
});

describe('a lock is awaited for at most two seconds, so that no queue builds up, by', () => {
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

  test.each([
    ...STEPS.map((step) => ({ ...step, way: 'up' })),
    ...STEPS.toReversed().map((step) => ({ ...step, way: 'down' })),
  ])('$name $way', async ({ Migration, way }) => {
    const step = new Migration();
    const runner = dataSource.createQueryRunner();
    const isTransaction = step.transaction !== false;
    try {
      if (isTransaction) await runner.startTransaction();
      await step[way as 'up' | 'down'](runner);
      expect(await runner.query('SHOW lock_timeout')).toEqual([{ lock_timeout: '2s' }]);
      if (isTransaction) await runner.commitTransaction();
    } finally {
      await runner.query('RESET lock_timeout');
      await runner.release();
    }
  });
});
