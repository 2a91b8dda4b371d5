/** Knows the types of columns by their names, from the migrations. */
import { readdirSync, readFileSync } from 'node:fs';

const MIGRATIONS = readdirSync('migrations')
  .map((file) => readFileSync(`migrations/${file}`, 'utf8'))
  .join('\n');
const ENUMERATIONS = new Set(
  [...MIGRATIONS.matchAll(/CREATE TYPE (\w+) AS ENUM/g)].map(([, name]) => name as string),
);
const COLUMN = /^ +(\w+) (\w+)/gm;
const NOT_TEXT = /^(?:bigint|integer|smallint|boolean|uuid|timestamptz)$/;
/** A value of these types is read and shown by the settings of the session. */
const OF_SESSION = /^(?:date|interval|regclass|time|timetz|timestamp|timestamptz)$/;
const TYPES = Map.groupBy(MIGRATIONS.matchAll(COLUMN), ([, column]) => column as string);

/** Tells whether reading or showing a value of the type is not IMMUTABLE. */
export function isOfSession(type: unknown): boolean {
  return ENUMERATIONS.has(type as string) || OF_SESSION.test(type as string);
}

/** A column has several types if tables have columns of the same name. */
export function typesOf(column: string): readonly string[] {
  return (TYPES.get(column) ?? []).map(([, , type]) => type as string);
}

/** Tells whether `||` must show the value of the column as text. */
export function isShownAsText(column: string): boolean {
  return typesOf(column).some((type) => NOT_TEXT.test(type) || ENUMERATIONS.has(type));
}
