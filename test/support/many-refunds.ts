/**
 * Makes a payment with more refunds, holds or events than the service can make in the time of a
 * test.
 */
import type { Client } from 'pg';
import { uuidOf } from '../../src/shared/id.js';

/** Names a table and its rows, and the values of its own that a copy of each has. */
type Copied = readonly [table: string, rows: string, changed: string];

/** Copies a refund so many times, with its events and the stored responses about it. */
export function copyRefund(sql: Client, refund: string, times: number): Promise<void> {
  return copy(sql, OF_REFUND, refund, times);
}

/** Copies a released hold so many times, with its first event, which is sent to the notify_url. */
export function copyHold(sql: Client, hold: string, times: number): Promise<void> {
  return copy(sql, OF_HOLD, hold, times);
}

/** Copies the first event of a released hold so many times, but not the hold. */
export function copyEvent(sql: Client, hold: string, times: number): Promise<void> {
  return copy(sql, OF_EVENT, hold, times);
}

async function copy(sql: Client, copied: readonly Copied[], id: string, times: number) {
  await sql.query('CREATE TEMPORARY TABLE copies (id uuid, event uuid, number integer)');
  await sql.query(
    `INSERT INTO copies SELECT gen_random_uuid(), gen_random_uuid(), number
      FROM generate_series(1, $1) AS number`,
    [times],
  );
  for (const [table, rows, changed] of copied)
    await sql.query(copies(table, rows, changed), [uuidOf(id)]);
  await sql.query('DROP TABLE copies');
}

const OF_REFUND: readonly Copied[] = [
  ['refunds', 'original.id = $1', `'id', copies.id`],
  [
    'events',
    'original.object_id = $1',
    `'object_id', copies.id, 'id', gen_random_uuid(), 'position', nextval('events_position_seq')`,
  ],
  [
    'idempotency_keys',
    'original.resource_id = $1',
    `'resource_id', copies.id, 'key', copies.number::text`,
  ],
];

/**
 * The event of a hold is about its payment, whose sequence goes on after the events that it has.
 */
const HELD = `SELECT event.id FROM events AS event JOIN payment_holds AS hold
  ON event.object_id = hold.payment_id AND event.type = 'payment.held' AND event.sequence < 1000
  WHERE hold.id = $1`;
const OF_EVENT: readonly Copied[] = [
  [
    'events',
    `original.id = (${HELD})`,
    `'id', copies.event, 'sequence', 1000 + copies.number,
      'position', nextval('events_position_seq')`,
  ],
  ['webhook_deliveries', `original.event_id = (${HELD})`, `'event_id', copies.event`],
];
const OF_HOLD: readonly Copied[] = [
  ['payment_holds', 'original.id = $1', `'id', copies.id`],
  ...OF_EVENT,
];

const copies = (table: string, rows: string, changed: string) =>
  `INSERT INTO ${table} SELECT copy.* FROM ${table} AS original CROSS JOIN copies,
    LATERAL jsonb_populate_record(original, jsonb_build_object(${changed})) AS copy
    WHERE ${rows}`;
