/** Makes a payment with more refunds than the service can make in the time of a test. */
import type { Client } from 'pg';
import { uuidOf } from '../../src/shared/id.js';

/** Copies a refund so many times, with its events and the stored responses about it. */
export async function copyRefund(sql: Client, refund: string, times: number): Promise<void> {
  await sql.query('CREATE TEMPORARY TABLE copies (id uuid, number integer)');
  await sql.query(
    'INSERT INTO copies SELECT gen_random_uuid(), number FROM generate_series(1, $1) AS number',
    [times],
  );
  for (const [table, about, changed] of COPIED)
    await sql.query(copies(table, about, changed), [uuidOf(refund)]);
  await sql.query('DROP TABLE copies');
}

/**
 * Each row has a table, the column that names the refund, and the values of its own that a copy
 * has.
 */
const COPIED = [
  ['refunds', 'id', `'id', copies.id`],
  [
    'events',
    'object_id',
    `'object_id', copies.id, 'id', gen_random_uuid(), 'position', nextval('events_position_seq')`,
  ],
  ['idempotency_keys', 'resource_id', `'resource_id', copies.id, 'key', copies.number::text`],
] as const;

const copies = (table: string, about: string, changed: string) =>
  `INSERT INTO ${table} SELECT copy.* FROM ${table} AS original CROSS JOIN copies,
    LATERAL jsonb_populate_record(original, jsonb_build_object(${changed})) AS copy
    WHERE original.${about} = $1`;
