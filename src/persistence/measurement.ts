import { MODES } from '../shared/caller.js';

/** A measurement counts at most this many rows, so that a scrape stays cheap. */
export const MOST_ROWS = 50_000;
export const COUNTED = `Up to ${MOST_ROWS.toLocaleString('en')} are counted.`;

const MODE_ROWS = MODES.map((mode) => `('${mode}'::mode)`).join(', ');
export const EACH_MODE = `(VALUES ${MODE_ROWS}) AS each_mode (mode)`;

/** Returns SQL for the time at which an ID was made: the first 48 bits of a UUIDv7. */
export const madeAt = (id: string): string =>
  `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;

/**
 * Returns SQL for the seconds since an instant. They are 0 for NULL, and for an instant in the
 * future, which a moved clock makes.
 */
export const age = (instant: string): string =>
  `coalesce(greatest(0, extract(epoch FROM statement_timestamp() - ${instant})), 0)`;

/** Makes a query for the values of one gauge. `labels` has an SQL expression for each label. */
export function series(
  gauge: string,
  labels: Readonly<Record<string, string>>,
  value: string,
  from: string,
): string {
  const pairs = Object.entries(labels).map(([label, sql]) => `'${label}', ${sql}`);
  const json = `json_build_object(${pairs.join(', ')}) AS labels`;
  return `SELECT '${gauge}' AS gauge, ${json}, (${value})::float8 AS value FROM ${from}`;
}
