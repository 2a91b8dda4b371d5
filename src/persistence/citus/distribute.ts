/** Distributes the tables on Citus, so that all rows of an organization are on one machine. */
import type { Progress } from '../../platform/progress.js';
import { hasCitus, type Sql } from './citus.js';

interface Table {
  readonly name: string;
  readonly isOwned: boolean;
  readonly parents: readonly string[];
  readonly kind: 'distributed' | 'reference' | null;
}

const TABLES = `SELECT relation.relname AS name,
  EXISTS (SELECT FROM pg_attribute
    WHERE attrelid = relation.oid AND attname = 'organization_id' AND attnotnull) AS "isOwned",
  ARRAY(SELECT parent.relname::text
    FROM pg_constraint JOIN pg_class parent ON parent.oid = confrelid
    WHERE conrelid = relation.oid AND contype = 'f' AND confrelid <> conrelid) AS parents,
  (SELECT citus_table_type FROM citus_tables
    WHERE table_name = relation.oid AND citus_table_type IN ('distributed', 'reference')) AS kind
  FROM pg_class relation
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname`;

/** Machines share no sequence, so the positions that a sequence drew get 0. */
const STOP_DRAWING = `SELECT format(
    'UPDATE %1$I SET %2$I = 0; ALTER TABLE %1$I ALTER %2$I SET DEFAULT 0; DROP SEQUENCE %3$s',
    table_name, column_name, pg_get_serial_sequence(table_name, column_name)) AS statements
  FROM information_schema.columns WHERE table_name = $1 AND column_name = 'position'
    AND column_default LIKE 'nextval(%'`;

/** Throws with advice if the database has no Citus. */
export async function requireCitus(sql: Sql): Promise<void> {
  if (await hasCitus(sql)) return;
  throw new Error(
    'This database has no Citus: CREATE EXTENSION citus on all machines, and add workers, first.',
  );
}

/** Distributes the tables of new migrations if others are distributed. Returns their names. */
export async function distributeNewTables(sql: Sql): Promise<string[]> {
  if (!(await hasCitus(sql))) return [];
  const tables: Table[] = await sql.query(TABLES);
  return tables.some(({ kind }) => kind !== null) ? distribute(sql, tables) : [];
}

/**
 * Distributes all tables in the open transaction, which locks them. Returns the names of those that
 * were not distributed yet.
 */
export async function distributeAll(
  sql: Sql,
  shards: number,
  progress?: Progress,
): Promise<string[]> {
  await sql.query(`SET LOCAL citus.shard_count = ${shards}`);
  return distribute(sql, await sql.query(TABLES), progress);
}

async function distribute(
  sql: Sql,
  tables: readonly Table[],
  progress?: Progress,
): Promise<string[]> {
  const pending = parentsFirst(tables.filter(({ kind }) => kind === null));
  progress?.begin('Distributing tables', pending.length);
  let group = tables.find(({ kind }) => kind === 'distributed')?.name ?? 'none';
  // Tables without an organization are copied to every machine, so that tenants' rows can refer to
  // them.
  for (const { name, isOwned } of pending) {
    if (isOwned) continue;
    progress?.name(name);
    await stopDrawing(sql, name);
    await sql.query(`SELECT create_reference_table($1)`, [name]);
    progress?.add();
  }
  for (const { name, isOwned } of pending) {
    if (!isOwned) continue;
    progress?.name(name);
    await stopDrawing(sql, name);
    await sql.query(`SELECT create_distributed_table($1, 'organization_id', colocate_with => $2)`, [
      name,
      group,
    ]);
    if (group === 'none') group = name;
    progress?.add();
  }
  // The rows have been copied. The invisible originals on this machine would only take space.
  for (const { name } of pending.toReversed()) {
    await sql.query('SELECT truncate_local_data_after_distributing_table($1)', [name]);
  }
  return pending.map(({ name }) => name);
}

async function stopDrawing(sql: Sql, table: string): Promise<void> {
  for (const { statements } of await sql.query(STOP_DRAWING, [table])) await sql.query(statements);
}

function parentsFirst(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  const add = (table: Table): void => {
    if (ordered.includes(table)) return;
    for (const parent of tables) if (table.parents.includes(parent.name)) add(parent);
    ordered.push(table);
  };
  for (const table of tables) add(table);
  return ordered;
}
