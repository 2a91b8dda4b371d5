/** Finds what others have added to a database of 1.2.0. It would be lost, or be in the way. */
import type { QueryRunner } from 'typeorm';
import type { Catalog } from './catalog.js';

/** 1.2.0 has these columns and indexes, and this version does not. */
const GONE = [
  ...['ahead_seconds', 'residence', 'api_keys_allowed_origins', 'payments_on_hold'],
  ...['payments_ledger_session', 'payment_holds_ledger_payment', 'refunds_ledger_payment'],
];

/** A view may be in any schema. */
const VIEWS = `SELECT DISTINCT ev_class::regclass::text AS name
  FROM pg_class
  JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = pg_class.oid
  JOIN pg_rewrite ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND ev_class <> pg_class.oid
  ORDER BY 1`;

/** Throws with the names of all that is neither of 1.2.0 nor of the target. */
export async function requireNoAdditions(
  runner: QueryRunner,
  old: Catalog,
  target: Catalog,
): Promise<void> {
  const tables = target.tables.map(({ name }) => name);
  const columns = target.columns.map(({ table, name }) => `${table}.${name}`);
  const indexes = target.indexes.map(({ name }) => name);
  const views: { readonly name: string }[] = await runner.query(VIEWS);
  // A table that others made is named without its columns and indexes.
  const isAddition = ({ table, name }: { readonly table: string; readonly name: string }) =>
    tables.includes(table) && !GONE.includes(name);
  const additions = [
    ...old.tables.filter(({ name }) => !tables.includes(name)).map(({ name }) => `table ${name}`),
    ...old.columns
      .filter((column) => isAddition(column) && !columns.includes(`${column.table}.${column.name}`))
      .map(({ table, name }) => `column ${table}.${name}`),
    ...old.indexes
      .filter((index) => isAddition(index) && !indexes.includes(index.name))
      .map(({ name }) => `index ${name}`),
    ...views.map(({ name }) => `view ${name}`),
  ];
  if (additions.length === 0) return;
  throw new Error(
    `Tillgate did not make these: ${additions.join(', ')}. Move tables to another schema and ` +
      'drop the rest, run `tillgate migrate`, and make them again. Nothing was changed.',
  );
}
