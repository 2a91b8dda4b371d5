/**
 * Takes over a database of 1.2.0: it becomes what the migrations make of an empty one, and every
 * row stays as it was (docs/operate/upgrading.md).
 */
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { hasCitus } from '../../../persistence/citus/citus.js';
import { MIGRATIONS } from '../../../persistence/data-source.js';
import { isLockTimeout } from '../../../persistence/faults.js';
import type { Progress } from '../../../platform/progress.js';
import { requireNoAdditions } from './additions.js';
import { type Catalog, differencesOf, readCatalog } from './catalog.js';
import { convert } from './conversion.js';
import { requireOwnParameters } from './storage-parameters.js';

/** Later migrations run afterwards, as they do on every database. */
const LAST_OF_SCHEMA = 'Encryption1790000000011';

/** The new tables are made here, to be compared with, and so that the types can be moved. */
const SCRATCH = 'tillgate_take_over';

const steps = MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === LAST_OF_SCHEMA) + 1);

/** `takeOver` gives the rows of 1.2.0 what the new rules ask for. */
type Step = MigrationInterface & { takeOver?(runner: QueryRunner): Promise<void> };

/**
 * Works in the open transaction: whatever ends it early, the database is as it was. Returns the
 * names of the migrations whose work was done.
 */
export async function takeOver(runner: QueryRunner, progress: Progress): Promise<string[]> {
  await announce(runner, progress);
  await prepare(runner);
  await requireNoServer(runner);
  const migrations = steps.map((Migration) => new (Migration as new () => Step)());
  const target = await makeTarget(runner, migrations);
  await lockTables(runner, target);
  const old = await readCatalog(runner, 'public');
  await requireNoAdditions(runner, old, target);
  requireOwnParameters(old, target);
  await moveToPublic(runner, old, target);
  for (const migration of migrations) await migration.takeOver?.(runner);
  await convert(runner, target, progress);
  await recordMigrations(runner);
  await requireSame(runner, target);
  progress.say('The schema is that of a new database.');
  return steps.map(({ name }) => name);
}

/**
 * A column of another type has lost its statistics. Citus cannot collect them in the transaction
 * that changed it.
 */
export async function collectStatistics(dataSource: DataSource): Promise<void> {
  const tables: { readonly name: string }[] = await dataSource.query(
    `SELECT quote_ident(relname) AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  for (const { name } of tables) await dataSource.query(`ANALYZE ${name}`);
}

async function announce(runner: QueryRunner, progress: Progress): Promise<void> {
  const [{ size }] = await runner.query(
    'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
  );
  progress.say(
    `Taking over the database of 1.2.0, which has ${size}. It needs about as much space again ` +
      'until the end. If this is interrupted, nothing has changed. Afterwards, only a backup ' +
      'leads back to 1.2.0.',
  );
}

async function prepare(runner: QueryRunner): Promise<void> {
  await runner.query(`SET LOCAL maintenance_work_mem = '256MB'`);
  // Without this setting, a statement of a process that was killed would go on and keep its locks.
  // PostgreSQL can notice the loss of a client on these systems only.
  await runner.query(
    `SELECT set_config('client_connection_check_interval', '1s', true)
      WHERE version() ~ 'linux|darwin'`,
  );
}

/** Every role may see the names of the sessions of other roles. */
async function requireNoServer(runner: QueryRunner): Promise<void> {
  // On Citus, a server may be connected to any machine.
  const sessions = (await hasCitus(runner)) ? 'citus_stat_activity' : 'pg_stat_activity';
  const servers: { readonly pid: number }[] = await runner.query(
    `SELECT pid FROM ${sessions}
      WHERE datname = current_database() AND application_name = 'tillgate'
      ORDER BY pid`,
  );
  if (servers.length === 0) return;
  const pids = servers.map(({ pid }) => pid).join(', ');
  throw new Error(
    'Servers or commands of Tillgate are connected to this database (processes of PostgreSQL: ' +
      `${pids}). Stop all of them, and restart a pooler that keeps their connections. Then run ` +
      '`tillgate migrate` again. Nothing was changed.',
  );
}

/**
 * All tables of Tillgate are locked at once, so that nothing can be in the way later. A table that
 * others made may be one that this role must not lock.
 */
async function lockTables(runner: QueryRunner, target: Catalog): Promise<void> {
  const { tables } = await readCatalog(runner, 'public');
  const isOurs = (name: string) => target.tables.some((table) => table.name === name);
  const names = tables.map(({ name }) => name).filter(isOurs);
  await runner.query(`SET LOCAL lock_timeout = '2s'`);
  try {
    await runner.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new Error(
      'Another session uses the tables. Stop all servers, and end backups and long queries ' +
        '(pg_stat_activity shows them). Then run `tillgate migrate` again. Nothing was changed.',
    );
  }
}

/** Runs the migrations in a schema of their own. */
async function makeTarget(runner: QueryRunner, migrations: readonly Step[]): Promise<Catalog> {
  await runner.query(`CREATE SCHEMA ${SCRATCH}`);
  await runner.query(`SET LOCAL search_path = ${SCRATCH}`);
  for (const migration of migrations) await migration.up(runner);
  const target = await readCatalog(runner, SCRATCH);
  await runner.query('SET LOCAL search_path = public');
  return target;
}

/** Only types and new tables remain of the migrations. */
async function moveToPublic(runner: QueryRunner, old: Catalog, target: Catalog): Promise<void> {
  for (const { name } of target.types)
    await runner.query(`ALTER TYPE ${SCRATCH}.${name} SET SCHEMA public`);
  const isNew = (name: string) => !old.tables.some((table) => table.name === name);
  for (const { name } of target.tables)
    if (isNew(name)) await runner.query(`ALTER TABLE ${SCRATCH}.${name} SET SCHEMA public`);
  await runner.query(`DROP SCHEMA ${SCRATCH} CASCADE`);
}

async function recordMigrations(runner: QueryRunner): Promise<void> {
  await runner.query('DELETE FROM migrations');
  for (const { name } of steps)
    await runner.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [
      Number(name.slice(-13)),
      name,
    ]);
}

async function requireSame(runner: QueryRunner, target: Catalog): Promise<void> {
  const differences = differencesOf(await readCatalog(runner, 'public'), target);
  if (differences.length === 0) return;
  throw new Error(
    `The tables would differ from those of a new database. Nothing was changed.\n` +
      differences.join('\n'),
  );
}
