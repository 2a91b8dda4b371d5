/** Finds what others have added to a database of 1.2.0. It would be lost, or be in the way. */
import type { QueryRunner } from 'typeorm';
import type { Catalog } from './catalog.js';
import { GONE } from './gone.js';

interface Part {
  readonly table: string;
  readonly name: string;
}

interface Named {
  readonly name: string;
}

/** A view may be in any schema. */
const VIEWS = `SELECT DISTINCT ev_class::regclass::text AS name
  FROM pg_class
  JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = pg_class.oid
  JOIN pg_rewrite ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
  WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) AND ev_class <> pg_class.oid
  ORDER BY 1`;

/** Such a foreign key is of a table that others made, which may be in any schema. */
const FOREIGN_KEYS = `SELECT conrelid::regclass || '.' || quote_ident(conname) AS name
  FROM pg_constraint
  JOIN pg_class AS owner ON owner.oid = conrelid
  JOIN pg_class AS ours ON ours.oid = confrelid
  WHERE contype = 'f' AND conparentid = 0
    AND ours.relnamespace = 'public'::regnamespace AND ours.relname = ANY ($1)
    AND NOT (owner.relnamespace = 'public'::regnamespace AND owner.relname = ANY ($1))
  ORDER BY 1`;

/** Throws with the names of all that is neither of 1.2.0 nor of the target. */
export async function requireNoAdditions(
  runner: QueryRunner,
  old: Catalog,
  target: Catalog,
): Promise<void> {
  const tables = target.tables.map(({ name }) => name);
  const views: readonly Named[] = await runner.query(VIEWS, [tables]);
  const foreignKeys: readonly Named[] = await runner.query(FOREIGN_KEYS, [tables]);
  // A table that others made is named without its columns, constraints and indexes.
  const added = (found: readonly Part[], expected: readonly Part[]) =>
    found.filter((part) => tables.includes(part.table) && !isKnown(part, expected));
  const indexes = old.indexes.filter(({ isOfConstraint }) => !isOfConstraint);
  const additions = [
    // 1.2.0 has no types.
    ...old.types.map(({ name }) => `type ${name}`),
    ...old.tables.filter(({ name }) => !tables.includes(name)).map(({ name }) => `table ${name}`),
    ...added(old.columns, target.columns).map((column) => `column ${pathOf(column)}`),
    ...added(old.constraints, target.constraints).map((one) => `constraint ${pathOf(one)}`),
    ...added(indexes, target.indexes).map(({ name }) => `index ${name}`),
    ...views.map(({ name }) => `view ${name}`),
    ...foreignKeys.map(({ name }) => `foreign key ${name}`),
  ];
  if (additions.length === 0) return;
  throw new Error(
    `Tillgate did not make these: ${additions.join(', ')}. Move types and tables to another ` +
      'schema, drop the rest, run `tillgate migrate`, and make the rest again. ' +
      'Nothing was changed.',
  );
}

const pathOf = ({ table, name }: Part): string => `${table}.${name}`;

function isKnown(part: Part, expected: readonly Part[]): boolean {
  const isGone = GONE[part.table]?.includes(part.name) ?? false;
  return isGone || expected.some((one) => pathOf(one) === pathOf(part));
}
