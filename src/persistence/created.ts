/** When the row was created by the clock of its organization, in Unix seconds, as `createdAt` computes it from the ID. */
const CREATED = `CASE WHEN substr(id::text, 16, 1) < '8'
  THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000
  ELSE ('x' || right(id::text, 8))::bit(32)::bigint END`;

/** SQL: whether the row was created in the last two values of `createdRange`, which are null unless a clock was moved. */
export function createdBetween(from: string, to: string): string {
  // Of an OR, PostgreSQL expects so few rows that to sort all of an organization's seems as cheap as to read its index.
  return `CASE WHEN ${from}::bigint IS NULL THEN true ELSE ${CREATED} >= ${from} AND ${CREATED} < ${to}::bigint END`;
}
