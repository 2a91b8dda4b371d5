/** The migrated schema is what the records say, what tenancy asks for, and what the migrations can take back. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';

import { RECORDS } from '../../src/app.module.js';
import { createMigrationDataSource, MIGRATIONS } from '../../src/platform/database/data-source.js';
import { migrate, revertLast } from '../../src/platform/database/migrate.js';
import { type Catalog, readCatalog } from '../support/catalog.js';
import { createDatabase } from '../support/postgres.js';

const STEPS = MIGRATIONS.map((Migration) => ({ name: Migration.name, Migration }));

const isTransaction = (Migration: new () => MigrationInterface) => new Migration().transaction !== false;

const TABLES = [
  'api_keys',
  'checkout_sessions',
  'events',
  'idempotency_keys',
  'organizations',
  'payment_holds',
  'payments',
  'refunds',
  'webhook_attempts',
  'webhook_deliveries',
];

/** An organization's rows lie together, so that its reads touch few pages and a distributed database can place them. */
const TENANT_TABLES = [
  'checkout_sessions',
  'events',
  'idempotency_keys',
  'payment_holds',
  'payments',
  'refunds',
  'webhook_attempts',
  'webhook_deliveries',
];

/** What a background job or the ledger walks through for all organizations together. */
const INDEXES_ACROSS_TENANTS = [
  'checkout_sessions_open_expiry',
  'events_id',
  'idempotency_keys_expiry',
  'payment_holds_id',
  'payments_ledger_list',
  'payments_ledger_reference',
  'payments_ledger_session',
  'refunds_claim_list',
  'refunds_ledger_list',
];

/** Every column that may be without a value; no other may. */
const NULLABLE = [
  'api_keys.expires_at',
  'api_keys.organization_id',
  'api_keys.revoked_at',
  'checkout_sessions.cancel_url',
  'checkout_sessions.customer_email',
  'checkout_sessions.description',
  'checkout_sessions.locale',
  'checkout_sessions.notify_url',
  'checkout_sessions.return_url',
  'checkout_sessions.success_url',
  'events.reason',
  'idempotency_keys.location',
  'organizations.previous_webhook_secret',
  'organizations.previous_webhook_secret_expires_at',
  'payment_holds.reason',
  'payment_holds.reference',
  'payments.checkout_session_id',
  'payments.mismatch',
  'payments.reference',
  'refunds.claim_expires_at',
  'refunds.failure_reason',
  'webhook_attempts.error',
  'webhook_attempts.next_attempt_at',
  'webhook_attempts.status_code',
  'webhook_deliveries.next_attempt_at',
  'webhook_deliveries.outcome',
];

/** Everything a write relies on the database to refuse, but for the checks. */
const KEYS = {
  api_keys_digest_key: 'api_keys UNIQUE (digest)',
  api_keys_organization_fkey: 'api_keys FOREIGN KEY (organization_id) REFERENCES organizations(id)',
  api_keys_pkey: 'api_keys PRIMARY KEY (id)',
  checkout_sessions_pkey: 'checkout_sessions PRIMARY KEY (organization_id, mode, id)',
  events_pkey: 'events PRIMARY KEY (organization_id, mode, id)',
  events_sequence_key: 'events UNIQUE (organization_id, mode, object_id, sequence)',
  idempotency_keys_pkey: 'idempotency_keys PRIMARY KEY (organization_id, mode, operation, key)',
  organizations_pkey: 'organizations PRIMARY KEY (id)',
  payment_holds_payment_fkey:
    'payment_holds FOREIGN KEY (organization_id, mode, payment_id) REFERENCES payments(organization_id, mode, id)',
  payment_holds_pkey: 'payment_holds PRIMARY KEY (organization_id, mode, id)',
  payments_checkout_session_fkey:
    'payments FOREIGN KEY (organization_id, mode, checkout_session_id) REFERENCES checkout_sessions(organization_id, mode, id)',
  payments_pkey: 'payments PRIMARY KEY (organization_id, mode, id)',
  refunds_payment_fkey:
    'refunds FOREIGN KEY (organization_id, mode, payment_id) REFERENCES payments(organization_id, mode, id)',
  refunds_pkey: 'refunds PRIMARY KEY (organization_id, mode, id)',
  webhook_attempts_delivery_fkey:
    'webhook_attempts FOREIGN KEY (organization_id, mode, event_id) REFERENCES webhook_deliveries(organization_id, mode, event_id) ON DELETE CASCADE',
  webhook_attempts_pkey: 'webhook_attempts PRIMARY KEY (organization_id, mode, event_id, attempt)',
  webhook_deliveries_pkey: 'webhook_deliveries PRIMARY KEY (organization_id, mode, event_id)',
};

/** The keys of columns that may be without a value: rows that have none are not in the index. */
const PARTIAL_KEYS = {
  payments_checkout_session_key:
    '(organization_id, mode, checkout_session_id) WHERE ((checkout_session_id IS NOT NULL) AND (mismatch IS NULL))',
  payments_reference_key: '(organization_id, mode, reference) WHERE (reference IS NOT NULL)',
};

describe('the migrated schema', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let catalog: Catalog;

  beforeAll(async () => {
    database = await createDatabase();
    catalog = await readCatalog(database.url);
  });

  afterAll(async () => database.drop());

  test('is what the records describe', async () => {
    const dataSource = await createMigrationDataSource(database.url, RECORDS).initialize();
    try {
      expect(dataSource.entityMetadatas.map(({ tableName }) => tableName).sort()).toEqual(TABLES);
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await dataSource.destroy();
    }
  });

  test('has a value in every column that always has one', () => {
    const nullable = catalog.columns.filter(({ nullable }) => nullable).map(({ table, name }) => `${table}.${name}`);
    expect(nullable.sort()).toEqual(NULLABLE);
  });

  test('has every key', () => {
    const keys = catalog.constraints.filter(({ type }) => ['p', 'u', 'f'].includes(type));
    expect(Object.fromEntries(keys.map(({ name, table, definition }) => [name, `${table} ${definition}`]))).toEqual(
      KEYS,
    );
  });

  test('has every partial key', () => {
    const keys = catalog.indexes.filter(({ definition }) => /^CREATE UNIQUE INDEX .* WHERE /.test(definition));
    const of = (definition: string) => definition.slice(definition.indexOf('('));
    expect(Object.fromEntries(keys.map(({ name, definition }) => [name, of(definition)]))).toEqual(PARTIAL_KEYS);
  });

  test('keeps what belongs to an organization under it', () => {
    const indexes = catalog.indexes.filter(({ table }) => TENANT_TABLES.includes(table));
    const elsewhere = indexes.filter(({ columns }) => columns[0] !== 'organization_id').map(({ name }) => name);
    expect(elsewhere.sort()).toEqual(INDEXES_ACROSS_TENANTS);
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
    expect([...new Set(first.columns.map(({ table }) => table))].sort()).toEqual(TABLES);

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

  /** The limit that the step was under; 0 is none. */
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
