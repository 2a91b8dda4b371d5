/**
 * Reads what PostgreSQL knows about the tables of a schema. Two schemas with the same tables have
 * equal catalogs, if each is read while it is the first in the search path.
 */
import type { QueryRunner } from 'typeorm';

interface Type {
  readonly name: string;
  readonly kind: 'enum' | 'domain';
  /** This is the type below a domain. */
  readonly base: string;
  readonly members: readonly string[];
  readonly rules: readonly string[];
}

interface Table {
  readonly name: string;
  readonly options: readonly string[] | null;
}

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly place: number;
  readonly type: string;
  readonly isRequired: boolean;
  readonly standard: string | null;
  /** It is null where the type has none, and where it is the default of the database. */
  readonly collation: string | null;
}

export interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly kind: 'primary key' | 'unique' | 'foreign key' | 'check';
  readonly isValid: boolean;
  readonly definition: string;
}

interface Index {
  readonly table: string;
  readonly name: string;
  readonly isValid: boolean;
  readonly definition: string;
  /** A primary key or a UNIQUE constraint makes its index itself. */
  readonly isOfConstraint: boolean;
}

export interface Catalog {
  readonly types: readonly Type[];
  readonly tables: readonly Table[];
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Index[];
}

type Sql = (schema: string) => string;

/** The objects of an extension, such as spatial_ref_sys of PostGIS, are no part of the schema. */
const isOfExtension = (catalog: 'pg_class' | 'pg_type') =>
  `EXISTS (SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass
    AND objid = ${catalog}.oid AND deptype = 'e')`;

/** TypeORM's own list of what has run is no part of the schema either. */
const isTable: Sql = (schema) =>
  `relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
    AND NOT ${isOfExtension('pg_class')}`;

const TYPES: Sql = (schema) => `
  SELECT typname AS name, CASE typtype WHEN 'e' THEN 'enum' ELSE 'domain' END AS kind,
    format_type(typbasetype, typtypmod) AS base,
    ARRAY(SELECT enumlabel::text FROM pg_enum
      WHERE enumtypid = pg_type.oid ORDER BY enumsortorder) AS members,
    ARRAY(SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
      WHERE contypid = pg_type.oid ORDER BY 1) AS rules
  FROM pg_type WHERE typnamespace = '${schema}'::regnamespace AND typtype IN ('d', 'e')
    AND NOT ${isOfExtension('pg_type')}
  ORDER BY typname`;

/**
 * Operators may set how autovacuum treats a table. The parameters of its TOAST table are not read
 * here at all.
 */
const TABLES: Sql = (schema) => `
  SELECT relname AS name, nullif(ARRAY(SELECT option FROM unnest(reloptions) AS option
      WHERE option !~ '^(log_)?autovacuum_' ORDER BY option), '{}') AS options
  FROM pg_class WHERE ${isTable(schema)}
  ORDER BY relname`;

/** A column that was dropped leaves a gap in attnum, so the columns are counted. */
const COLUMNS: Sql = (schema) => `
  SELECT relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type,
    row_number() OVER (PARTITION BY relname ORDER BY attnum)::integer AS place,
    attnotnull AS "isRequired",
    replace(pg_get_expr(adbin, adrelid), '${schema}.', '') AS standard,
    nullif(nullif(attcollation, 0)::regcollation::text, '"default"') AS collation
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  LEFT JOIN pg_attrdef ON adrelid = pg_class.oid AND adnum = attnum
  WHERE ${isTable(schema)} AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;

/** From PostgreSQL 18 on, NOT NULL is a constraint too. It is read with the columns. */
const CONSTRAINTS: Sql = (schema) => `
  SELECT relname AS "table", conname AS name, convalidated AS "isValid",
    CASE contype WHEN 'p' THEN 'primary key' WHEN 'u' THEN 'unique' WHEN 'f' THEN 'foreign key'
      ELSE 'check' END AS kind,
    replace(pg_get_constraintdef(pg_constraint.oid), '${schema}.', '') AS definition
  FROM pg_class JOIN pg_constraint ON conrelid = pg_class.oid
  WHERE ${isTable(schema)} AND contype <> 'n'
  ORDER BY relname, conname`;

const INDEXES: Sql = (schema) => `
  SELECT pg_class.relname AS "table", own.relname AS name, indisvalid AS "isValid",
    replace(pg_get_indexdef(indexrelid), '${schema}.', '') AS definition,
    EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid
      AND contype IN ('p', 'u')) AS "isOfConstraint"
  FROM pg_class JOIN pg_index ON indrelid = pg_class.oid
  JOIN pg_class AS own ON own.oid = indexrelid
  WHERE ${isTable(schema).replaceAll('rel', 'pg_class.rel')}
  ORDER BY pg_class.relname, own.relname`;

export async function readCatalog(runner: QueryRunner, schema: string): Promise<Catalog> {
  return {
    types: await runner.query(TYPES(schema)),
    tables: await runner.query(TABLES(schema)),
    columns: await runner.query(COLUMNS(schema)),
    constraints: await runner.query(CONSTRAINTS(schema)),
    indexes: await runner.query(INDEXES(schema)),
  };
}

/** Lists what only one of two catalogs has, with a sign for the one that has it. */
export function differencesOf(found: Catalog, expected: Catalog): readonly string[] {
  const kinds = Object.keys(expected) as (keyof Catalog)[];
  return kinds.flatMap((kind) => {
    const here = found[kind].map((one) => JSON.stringify(one));
    const there = expected[kind].map((one) => JSON.stringify(one));
    const surplus = here.filter((one) => !there.includes(one));
    const missing = there.filter((one) => !here.includes(one));
    return [
      ...surplus.map((one) => `+ ${kind} ${one}`),
      ...missing.map((one) => `- ${kind} ${one}`),
    ];
  });
}
