import { setTimeout } from 'node:timers/promises';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { KEEP_TRAIL } from '../../../migrations/0002-access.js';
import {
  distributeAll,
  distributeNewTables,
  requireCitus,
} from '../../persistence/citus/distribute.js';
import { createMigrationDataSource, SETTINGS } from '../../persistence/data-source.js';
import { sqlState } from '../../persistence/faults.js';
import { Progress } from '../../platform/progress.js';
import { expectLargeOrganizations } from './expected-size.js';
import { assertPreparedStatements } from './pooler.js';
import { oldVersionOf } from './take-over/old-version.js';
import { collectStatistics, takeOver } from './take-over/take-over.js';

/**
 * This is the number of the advisory lock. It must never change, because old and new processes may
 * migrate at the same time.
 */
const MIGRATION_LOCK = 7_411_530;
const LOCK_INTERVAL_MS = 100;
const LIMITS = `SELECT format('ALTER ROLE %I IN DATABASE %I SET %I = %L;',
    coalesce($1, current_user), current_database(), name, value) AS statement FROM ${SETTINGS}`;

/**
 * Applies pending migrations and returns their names. If several processes call it, one applies
 * them and the others wait. A database of 1.2.0 is taken over first.
 */
export async function migrate(url: string, progress?: Progress): Promise<string[]> {
  return withLock(url, async (dataSource) => {
    const takenOver = await takeOverIfOld(dataSource, progress);
    if (progress) await showMigrations(dataSource, progress);
    const applied = await dataSource.runMigrations();
    await dataSource.transaction(distributeNewTables);
    await expectLargeOrganizations(dataSource);
    await dataSource.query(KEEP_TRAIL);
    return [...takenOver, ...applied.map(({ name }) => name)];
  });
}

async function takeOverIfOld(dataSource: DataSource, progress = new Progress()): Promise<string[]> {
  const old = oldVersionOf(await namesOf(dataSource));
  if (old === undefined) return [];
  if (!old.canBeTakenOver) throw new Error(`${old.found} ${old.advice} Nothing was changed.`);
  const names = await dataSource.transaction(({ queryRunner }) =>
    takeOver(queryRunner as QueryRunner, progress),
  );
  await expectLargeOrganizations(dataSource);
  await collectStatistics(dataSource);
  return names;
}

async function namesOf(dataSource: DataSource): Promise<string[]> {
  const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
  return executed.map(({ name }) => name);
}

/** Makes each pending migration say when it begins and ends, because TypeORM does not. */
async function showMigrations(dataSource: DataSource, progress: Progress): Promise<void> {
  const pending = await new MigrationExecutor(dataSource).getPendingMigrations();
  progress.begin('Applying migrations', pending.length);
  for (const { name, instance } of pending) {
    if (instance === undefined) continue;
    const apply = instance.up.bind(instance);
    instance.up = async (queryRunner) => {
      progress.name(name);
      await apply(queryRunner);
      progress.add();
    };
  }
}

export async function revertLast(url: string): Promise<string | undefined> {
  return withLock(url, async (dataSource) => {
    const [last] = await new MigrationExecutor(dataSource).getExecutedMigrations();
    // TypeORM respects a migration's `transaction` only when it applies the migration.
    const migration = dataSource.migrations.find(({ name }) => name === last?.name);
    const transaction = migration?.transaction === false ? 'none' : 'each';
    if (last) await dataSource.undoLastMigration({ transaction });
    return last?.name;
  });
}

export async function distributeTables(
  url: string,
  shards: number,
  progress?: Progress,
): Promise<string[]> {
  return withLock(url, (dataSource) =>
    dataSource.transaction((manager) => distributeAll(manager, shards, progress)),
  );
}

export async function assertCitus(url: string): Promise<void> {
  return withLock(url, requireCitus);
}

/** Throws if the server has no such role, before anything is changed for it. */
export async function assertRole(url: string, role: string): Promise<void> {
  const roles: unknown[] = await withLock(url, (dataSource) =>
    dataSource.query('SELECT FROM pg_roles WHERE rolname = $1', [role]),
  );
  if (roles.length === 0) throw new Error(`The database has no role ${role}. Create it first.`);
}

/**
 * Sets the limits of a role, which is the one in the URL unless another is given. Returns the SQL
 * that a role with more rights must run.
 */
export async function limitRole(url: string, role?: string): Promise<string[]> {
  return withLock(url, async (dataSource) => {
    const rows: { statement: string }[] = await dataSource.query(LIMITS, [role ?? null]);
    const statements = rows.map(({ statement }) => statement);
    try {
      await dataSource.query(statements.join(' '));
      return [];
    } catch (error) {
      if (sqlState(error) !== '42501') throw error;
      return statements;
    }
  });
}

/** Throws with advice if migrations are pending or if a pooler loses prepared statements. */
export async function assertReady(url: string): Promise<void> {
  const dataSource = await connect(url);
  try {
    if (await dataSource.showMigrations()) {
      const old = oldVersionOf(await namesOf(dataSource));
      if (old !== undefined) throw new Error(`${old.found} ${old.advice}`);
      throw new Error(
        'The database schema is not up to date: run `node dist/bundle/cli.js migrate` first.',
      );
    }
  } finally {
    await dataSource.destroy();
  }
  await assertPreparedStatements(url);
}

async function connect(url: string): Promise<DataSource> {
  try {
    return await createMigrationDataSource(url).initialize();
  } catch (error) {
    const why = messageOf(error);
    const advice = adviceOn(why, 'Check DATABASE_URL, and that PostgreSQL runs there.');
    throw new Error(`The database cannot be used: ${why}. ${advice}`);
  }
}

/**
 * The error for a name with several addresses holds one error for each address, and has no message
 * itself.
 */
export function messageOf(error: unknown): string {
  const faults: Error[] = error instanceof AggregateError ? error.errors : [error as Error];
  return faults.map(({ message }) => message).join(', ');
}

export function adviceOn(fault: string, otherwise: string): string {
  if (/altnames/.test(fault)) return 'Connect to a host that the certificate of PostgreSQL names.';
  const isUnknown = /self-signed|issuer|first certificate/.test(fault);
  return isUnknown
    ? 'Name the CA of its certificate in DATABASE_URL: sslrootcert=<file>.'
    : otherwise;
}

/**
 * Holds a lock while the work runs. The lock belongs to a transaction, because a pooler would keep
 * the lock of a session.
 */
async function withLock<Result>(
  url: string,
  work: (dataSource: DataSource) => Promise<Result>,
): Promise<Result> {
  const dataSource = await connect(url);
  const holder = dataSource.createQueryRunner();
  try {
    await holder.startTransaction();
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // The lock is asked for again and again. A statement that waits for it would block a CREATE
    // INDEX CONCURRENTLY of its owner.
    while (!(await isLocked(holder))) await setTimeout(LOCK_INTERVAL_MS);
    return await work(dataSource);
  } finally {
    // The commit fails only if the connection is lost, and then the lock is lost as well.
    await holder.commitTransaction().catch(() => undefined);
    await holder.release();
    await dataSource.destroy();
  }
}

/**
 * The number is part of the text, not a parameter. The portal of a parameter would keep a snapshot,
 * and CREATE INDEX CONCURRENTLY waits for every snapshot.
 */
async function isLocked(holder: QueryRunner): Promise<boolean> {
  const [row]: { locked: boolean }[] = await holder.query(
    `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`,
  );
  return row?.locked ?? false;
}
