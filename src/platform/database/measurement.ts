import { MODES } from '../../shared/caller.js';

/** So many rows are looked at and no more: whoever has a larger backlog knows enough, and a scrape stays cheap. */
export const MOST_ROWS = 50_000;
export const COUNTED = `Up to ${MOST_ROWS.toLocaleString('en')} are counted.`;

export const EACH_MODE = `(VALUES ${MODES.map((mode) => `('${mode}')`).join(', ')}) AS each_mode (mode)`;

/** When something got its id: the first 48 bits of a UUIDv7. */
export const madeAt = (id: string): string =>
  `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;

/** How long ago it was, in seconds. 0 for an instant of a clock that was moved ahead, and for none. */
export const age = (instant: string): string =>
  `coalesce(greatest(0, extract(epoch FROM statement_timestamp() - ${instant})), 0)`;

/** `labels` are SQL by the names of the labels. */
export function series(gauge: string, labels: Readonly<Record<string, string>>, value: string, from: string): string {
  const pairs = Object.entries(labels).map(([label, sql]) => `'${label}', ${sql}`);
  return `SELECT '${gauge}' AS gauge, json_build_object(${pairs.join(', ')}) AS labels, (${value})::float8 AS value FROM ${from}`;
}
