import { setTimeout } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { createMigrationDataSource } from '../platform/database/data-source.js';
import { distributeAll, distributeNewTables, distribution } from './distribute.js';
import { assertPreparedStatements } from './pooler.js';
import { setRoleSettings } from './role-settings.js';

/** Any constant will do, as long as it never changes: it is the name of the lock. */
const MIGRATION_LOCK = 7_411_530;
const LOCK_INTERVAL_MS = 100;

/** Applies what is pending and returns the names. Safe when several processes start together: one works, others wait. */
export async function migrate(url: string): Promise<string[]> {
  return withLock(url, async (dataSource) => {
    const applied = await dataSource.runMigrations();
    if (applied.length > 0) await dataSource.transaction(distributeNewTables);
    return applied.map(({ name }) => name);
  });
}

/** Takes the last applied migration back and returns its name, or undefined when none is left. */
export async function revertLast(url: string): Promise<string | undefined> {
  return withLock(url, async (dataSource) => {
    const last = await lastExecuted(dataSource);
    // TypeORM heeds what the migration says of transactions on its way up only.
    const migration = dataSource.migrations.find(({ name }) => name === last);
    const transaction = migration?.transaction === false ? 'none' : 'each';
    if (last !== undefined) await dataSource.undoLastMigration({ transaction });
    return last;
  });
}

/** Distributes what is not yet, where checkDistribution has found nothing missing, and returns the names of those tables. */
export async function distributeTables(url: string, shards: number): Promise<string[]> {
  return withLock(url, (dataSource) => dataSource.transaction((manager) => distributeAll(manager, shards)));
}

/** Changes nothing. Throws with what to do where tables cannot be distributed. */
export async function checkDistribution(url: string): ReturnType<typeof distribution> {
  return withLock(url, distribution);
}

/** Sets what each connection of the role, or of the one in the URL, shall have. Returns what could not be: SQL to run. */
export async function limitRole(url: string, role?: string): Promise<string[]> {
  return withLock(url, (dataSource) => setRoleSettings(dataSource, role));
}

/** Throws with what to do unless the service can run: behind a pooler that is too old, or before the last migration. */
export async function assertReady(url: string): Promise<void> {
  const dataSource = await connect(url);
  try {
    if (await dataSource.showMigrations()) {
      throw new Error('The database schema is not up to date: run `node dist/src/cli/cli.js migrate` first.');
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
    // A name with several addresses fails with the faults of each, and no message of its own.
    const faults: Error[] = error instanceof AggregateError ? error.errors : [error as Error];
    const why = faults.map(({ message }) => message).join(', ');
    throw new Error(`The database cannot be used: ${why}. Check DATABASE_URL, and that PostgreSQL runs there.`);
  }
}

/** The lock is a transaction's: it ends with it, also on a server connection that a pooler keeps. */
async function withLock<Result>(url: string, work: (dataSource: DataSource) => Promise<Result>): Promise<Result> {
  const dataSource = await connect(url);
  const holder = dataSource.createQueryRunner();
  try {
    await holder.startTransaction();
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // Asked for again and again: an index that is built beside its table's writers waits for every statement that runs.
    while (!(await isLocked(holder))) await setTimeout(LOCK_INTERVAL_MS);
    return await work(dataSource);
  } finally {
    // A connection that is lost has lost its lock.
    await holder.commitTransaction().catch(() => undefined);
    await holder.release();
    await dataSource.destroy();
  }
}

/** Without a parameter: its portal would keep a snapshot until the next statement, for which an index waits, too. */
async function isLocked(holder: QueryRunner): Promise<boolean> {
  const [row]: { locked: boolean }[] = await holder.query(
    `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`,
  );
  return row?.locked ?? false;
}

async function lastExecuted(dataSource: DataSource): Promise<string | undefined> {
  const [table]: { name: string | null }[] = await dataSource.query(`SELECT to_regclass('migrations') AS name`);
  if (!table?.name) return undefined;
  const [last]: { name: string }[] = await dataSource.query('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
  return last?.name;
}
