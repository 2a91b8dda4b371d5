/**
 * Says in SQL what each loaded session is: everything is drawn from its number by a hash, so the
 * bench can say later which sessions exist without reading a page of them.
 */
import type { Shop } from '../servers.js';

export interface Tenants {
  readonly big: Shop;
  readonly small: Shop;
  readonly ledgerKey: string;
  readonly operatorKey: string;
}

/**
 * The small organization has as many sessions in every step, so that only the rows around it grow.
 */
const SMALL_SESSIONS = 400;

/**
 * These functions are made once on the loader's connection. IDs have the bits of src/shared/id.ts:
 * time, a count, a random end.
 */
export const FUNCTIONS = `
  CREATE FUNCTION pg_temp.draw(number bigint, purpose integer) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN
    hashint8extended(number, purpose) & 9223372036854775807;
  CREATE FUNCTION pg_temp.uuid_at(instant bigint, number bigint, purpose integer) RETURNS uuid LANGUAGE sql IMMUTABLE
    RETURN (lpad(to_hex(instant), 12, '0')
      || '7' || lpad(to_hex(pg_temp.draw(number, purpose) % 2048), 3, '0')
      || to_hex(2147483648 + pg_temp.draw(number, purpose + 1) % 1073741824)
      || lpad(to_hex(pg_temp.draw(number, purpose + 2) % 4294967296), 8, '0'))::uuid`;

/** The numbers of the small organization's sessions are the multiples of this. */
export function everySmall(rows: number): number {
  return Math.floor(rows / SMALL_SESSIONS);
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface Step {
  readonly rows: number;
  /** One of them holds half of everything, and one stays small. */
  readonly organizations: number;
  /** The rows were loaded up to this instant, in milliseconds. */
  readonly end: number;
}

/**
 * Draws the sessions. Seven of eight are spread evenly over the year until yesterday, all of them
 * settled. The others are of the last twelve hours: seven of ten of them are open, and none expires
 * while it is measured. Three of ten are paid. Two of three paid ones, one session in five, have a
 * refund; one refund in twenty is pending, one is failed, and one is canceled.
 */
export function drawn({ rows, organizations, end }: Step, numbers: string): string {
  const settled = Math.floor((rows * 7) / 8);
  const instant = `CASE WHEN number <= ${settled}
    THEN ${end - 365 * DAY} + (${364 * DAY}::numeric * number / ${settled})::bigint
    ELSE ${end - 12 * HOUR} + (${12 * HOUR - HOUR / 12}::numeric * (number - ${settled}) / ${rows - settled})::bigint END`;
  return `
    SELECT drawn.*,
      pg_temp.uuid_at(instant, number, 10) AS session_id,
      pg_temp.uuid_at(paid_at, number, 20) AS payment_id,
      pg_temp.uuid_at(refunded_at, number, 30) AS refund_id,
      CASE WHEN is_paid THEN 'complete' WHEN is_recent THEN 'open' ELSE 'expired' END AS status,
      CASE outcome WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' WHEN 2 THEN 'canceled' ELSE 'succeeded' END
        AS refund_status
    FROM (
      SELECT number, instant, instant + ${DAY} AS expires_at, instant + 60000 AS paid_at, instant + 90000 AS refunded_at,
        instant + 120000 AS refund_settled_at,
        number > ${settled} AS is_recent,
        pg_temp.draw(number, 1) % 10 < 3 AS is_paid,
        pg_temp.draw(number, 1) % 10 < 3 AND pg_temp.draw(number, 2) % 3 < 2 AS is_refunded,
        pg_temp.draw(number, 3) % 20 AS outcome,
        instant > ${end - 89 * DAY} AS has_events,
        CASE WHEN number % ${everySmall(rows)} = 0 THEN 1
          WHEN pg_temp.draw(number, 4) % 2 = 0 THEN 0
          ELSE 2 + pg_temp.draw(number, 5) % ${organizations - 2} END AS tenant
      FROM (SELECT number, ${instant} AS instant FROM ${numbers} AS number) AS placed
    ) AS drawn`;
}
