/** Reads the tables from PostgreSQL's own catalog, without the mapping that is compared with it. */
import { withClient } from './postgres.js';

interface Row {
  readonly table: string;
  readonly name: string;
  /**
   * A type has e for an enum, or d for a domain. A column has its own type. A constraint has p for
   * a primary key, u for unique, f for a foreign key, or c for a check.
   */
  readonly type: string;
  /** The type of a column, or the type below it if that is a domain. */
  readonly base: string;
  /** An enum has its members in their order. */
  readonly members: readonly string[];
  readonly nullable: boolean;
  readonly columns: readonly string[];
  readonly definition: string;
}

/** Each list has the rows of one of the queries below, and no row has all of these fields. */
export type Catalog = Readonly<Record<keyof typeof QUERIES, readonly Row[]>>;

/** TypeORM's own list of migrations that have run is no part of the schema. */
const OURS = `relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'`;

/** Selects the names of the columns whose numbers are in an array, in the order of the array. */
const namesOf = (numbers: string) => `
  ARRAY(SELECT attname::text FROM unnest(${numbers}) WITH ORDINALITY AS part (number, place)
    JOIN pg_attribute ON attrelid = relation.oid AND attnum = part.number ORDER BY place)`;

/** This is the type below a domain, or the type itself. */
const BASE = `coalesce(
  (SELECT format_type(typbasetype, typtypmod) FROM pg_type domain WHERE domain.oid = atttypid AND typtype = 'd'),
  format_type(atttypid, atttypmod))`;

const QUERIES = {
  types: `
    SELECT typname AS name, typtype AS type, format_type(typbasetype, typtypmod) AS base,
      ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = pg_type.oid ORDER BY enumsortorder) AS members,
      ARRAY(SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
        WHERE contypid = pg_type.oid ORDER BY 1) AS rules
    FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e') ORDER BY 1`,
  tables: `SELECT relname AS table, reloptions AS options FROM pg_class WHERE ${OURS} ORDER BY 1`,
  columns: `
    SELECT relname AS table, attname AS name, NOT attnotnull AS nullable, format_type(atttypid, atttypmod) AS type,
      ${BASE} AS base,
      attcollation::regcollation::text AS collation, attoptions AS options, pg_get_expr(adbin, adrelid) AS default
    FROM pg_class relation JOIN pg_attribute ON attrelid = relation.oid
    LEFT JOIN pg_attrdef ON adrelid = relation.oid AND adnum = attnum
    WHERE ${OURS} AND attnum > 0 AND NOT attisdropped ORDER BY relname, attnum`,
  constraints: `
    SELECT relname AS table, conname AS name, contype AS type, ${namesOf('conkey')} AS columns,
      pg_get_constraintdef(pg_constraint.oid) AS definition
    FROM pg_class relation JOIN pg_constraint ON conrelid = relation.oid
    WHERE ${OURS} ORDER BY relname, conname`,
  indexes: `
    SELECT relname AS table, indexrelid::regclass::text AS name, ${namesOf('indkey')} AS columns,
      pg_get_indexdef(indexrelid) AS definition
    FROM pg_class relation JOIN pg_index ON indrelid = relation.oid
    WHERE ${OURS} ORDER BY 1, 2`,
};

export async function readCatalog(url: string): Promise<Catalog> {
  return withClient(url, async (client) => {
    const catalog: Partial<Record<keyof Catalog, Row[]>> = {};
    for (const [name, sql] of Object.entries(QUERIES))
      catalog[name as keyof Catalog] = (await client.query(sql)).rows;
    return catalog as Catalog;
  });
}
