/** Turns the tables of 1.2.0 into those of a target, one after the other. */
import type { QueryRunner } from 'typeorm';
import { hasCitus } from '../../../persistence/citus/citus.js';
import type { Progress } from '../../../platform/progress.js';
import { alterationsOf } from './alterations.js';
import { type Catalog, type Constraint, readCatalog } from './catalog.js';

const MEGABYTE = 2 ** 20;

/** Returns once every row is in a table of the target, and all keys are checked. */
export async function convert(
  runner: QueryRunner,
  target: Catalog,
  progress: Progress,
): Promise<void> {
  const old = await readCatalog(runner, 'public');
  await dropKeysAndIndexes(runner, old);
  const sizes = await sizesOf(runner, target);
  const total = sizes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  progress.begin('Taking over tables, in MB', total);
  for (const { name, megabytes } of sizes) {
    progress.name(name);
    const rows = await convertTable(runner, name, { old, target });
    progress.say(`${name}: ${rows}, as before`);
    progress.add(megabytes);
  }
  progress.begin('Checking foreign keys');
  for (const { table, name, definition } of target.constraints.filter(isForeignKey)) {
    progress.name(name);
    await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    progress.add();
  }
  progress.end();
}

const isForeignKey = ({ kind }: Constraint): boolean => kind === 'foreign key';

/** Indexes that a constraint owns stay: PostgreSQL makes them again where it must. */
async function dropKeysAndIndexes(runner: QueryRunner, old: Catalog): Promise<void> {
  for (const { table, name } of old.constraints.filter(isForeignKey))
    await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { name, isOfConstraint } of old.indexes)
    if (!isOfConstraint) await runner.query(`DROP INDEX ${name}`);
}

async function sizesOf(runner: QueryRunner, { tables }: Catalog) {
  const sizes: { readonly name: string; readonly megabytes: number }[] = [];
  for (const { name } of tables) {
    const [{ bytes }] = await runner.query('SELECT pg_table_size($1::regclass) AS bytes', [name]);
    sizes.push({ name, megabytes: Math.ceil(Number(bytes) / MEGABYTE) });
  }
  return sizes;
}

/** Returns what was compared before and after. */
async function convertTable(
  runner: QueryRunner,
  table: string,
  { old, target }: { readonly old: Catalog; readonly target: Catalog },
): Promise<string> {
  const isKept = ({ name }: { readonly name: string }) =>
    old.columns.some((column) => column.table === table && column.name === name);
  const kept = target.columns.filter((column) => column.table === table && isKept(column));
  const before = await sumOf(runner, table, kept);
  await alter(runner, table, { old, target });
  for (const { table: owner, isOfConstraint, definition } of target.indexes)
    if (owner === table && !isOfConstraint) await runner.query(definition);
  const after = await sumOf(runner, table, kept);
  if (after !== before)
    throw new Error(`The table ${table} had ${before} and has ${after}. Nothing was changed.`);
  return after;
}

/** Counts the rows, and adds up a hash of each row with the columns that stay. */
async function sumOf(
  runner: QueryRunner,
  table: string,
  columns: readonly { readonly name: string }[],
): Promise<string> {
  const names = columns.map(({ name }) => name).join(', ');
  const [{ rows, sum }] = await runner.query(
    `SELECT count(*) AS rows, coalesce(sum(hashtextextended(ROW(${names})::text, 0)), 0) AS sum
      FROM ${table}`,
  );
  return `${rows} rows with the sum ${sum}`;
}

async function alter(
  runner: QueryRunner,
  table: string,
  { old, target }: { readonly old: Catalog; readonly target: Catalog },
): Promise<void> {
  const { columns, constraints } = alterationsOf(table, old, target);
  const statements = (await hasCitus(runner))
    ? [columns, ...constraints.map((constraint) => [constraint])]
    : [[...columns, ...constraints]];
  for (const parts of statements)
    if (parts.length > 0) await runner.query(`ALTER TABLE ${table} ${parts.join(', ')}`);
}
