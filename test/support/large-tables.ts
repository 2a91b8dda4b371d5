/**
 * Fills every table that has an index of its own with 100,000 rows, of organizations in both modes,
 * inside PostgreSQL. What is rare in production, such as a refund that waits, is rare here.
 */
import type { Client } from 'pg';
import { uuidOf } from '../../src/shared/id.js';

const ROWS = 100_000;

/** The rows are spread over organizations. A test looks at the first one. */
interface Spread {
  readonly organizations: number;
  /** This SQL makes the place of the organization from the number of the row. */
  readonly place: string;
  /** This SQL makes the number of the row in its organization. */
  readonly own: string;
}

export const SPREADS = {
  'organizations of equal size': {
    organizations: 100,
    place: 'number % 100',
    own: 'number / 100',
  },
  'one large organization and 20,000 tiny ones': {
    organizations: 20_001,
    place: 'CASE WHEN number % 2 = 0 THEN 0 ELSE 1 + number / 2 % 20000 END',
    own: 'number / 2',
  },
} as const;

/** The number of the row is in the ID, and so is its time, in the form of src/shared/id.ts. */
const FUNCTION = `CREATE FUNCTION pg_temp.id_of(number integer, instant bigint, kind integer)
  RETURNS uuid LANGUAGE sql IMMUTABLE RETURN (
    lpad(to_hex(instant), 12, '0')
    || '7' || lpad(to_hex(number % 2048), 3, '0')
    || '8' || to_hex(kind) || lpad(to_hex(number), 14, '0'))::uuid`;

/** A tenth of the rows are live. */
const madeOf = ({ place, own }: Spread, organization: string) => `CREATE TEMPORARY TABLE made AS
  SELECT number, made, organizations.id AS organization_id,
    (CASE WHEN ${own} % 10 = 0 THEN 'live' ELSE 'test' END)::mode AS mode,
    pg_temp.id_of(number, instant, 1) AS session_id,
    pg_temp.id_of(number, instant, 2) AS payment_id,
    pg_temp.id_of(number, instant, 3) AS refund_id, pg_temp.id_of(number, instant, 4) AS other_id,
    ${own} AS own
  FROM generate_series(1, ${ROWS}) AS number
  CROSS JOIN LATERAL (SELECT now() - make_interval(mins => (${ROWS} - number) / 2) AS made) AS time
  CROSS JOIN LATERAL (SELECT (extract(epoch FROM made) * 1000)::bigint AS instant) AS unix
  JOIN (SELECT id, row_number() OVER (ORDER BY id = '${organization}' DESC, id) - 1 AS place
    FROM organizations) AS organizations ON place = ${place}
  ORDER BY number`;

const TABLES = [
  `INSERT INTO api_keys (id, organization_id, kind, mode, digest, display, holder)
    SELECT other_id, organization_id, 'secret', mode, sha256(other_id::text::bytea), 'sk', 'Shop'
    FROM made`,
  `INSERT INTO operator_events (id, type, organization_id, resource, via, holder, changes)
    SELECT other_id, CASE WHEN number % 1000 = 1 THEN 'api_key.revoked' ELSE 'api_key.created' END,
      organization_id, 'key_1', 'command_line', 'root', '{}'
    FROM made ORDER BY number`,
  `INSERT INTO idempotency_keys (organization_id, mode, operation, key, fingerprint, status, body,
      expires_at, resource_id)
    SELECT organization_id, mode, 'POST /v1/checkout_sessions', session_id::text,
      sha256(session_id::text::bytea), 201, '{}', made + interval '36 days', session_id
    FROM made`,
  `INSERT INTO checkout_sessions (organization_id, mode, id, ui_mode, status, payment_status,
      currency, amount_subtotal, amount_discount, amount_shipping, amount_tax, amount_total,
      metadata, line_items, expires_at, closed_at)
    SELECT organization_id, mode, session_id, 'hosted', status::session_status,
      (CASE status WHEN 'complete' THEN 'paid' ELSE 'unpaid' END)::payment_status,
      'usd', 100, 0, 0, 0, 100, json_build_object('reference', 'order-' || number), '[]',
      made + interval '1 day', CASE status WHEN 'complete' THEN made END
    FROM made CROSS JOIN LATERAL (SELECT CASE WHEN made > now() - interval '1 day' THEN 'open'
      WHEN own % 10 < 3 THEN 'complete' ELSE 'expired' END AS status) AS stored`,
  `INSERT INTO payments (organization_id, mode, id, currency, amount, checkout_session_id,
      reference, is_redacted, is_forgetting, details_since)
    SELECT organization_id, mode, payment_id, 'usd', 100, session_id, 'payment-' || number,
      own % 500 IN (1, 2), own % 500 = 1, CASE own % 500 WHEN 2 THEN made END
    FROM made`,
  `INSERT INTO payment_holds (organization_id, mode, id, payment_id, amount, status)
    SELECT organization_id, mode, other_id, payment_id, 1, 'released' FROM made`,
  `INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status, reference,
      provider_reference, approval, proposed_by, approval_expires_at)
    SELECT organization_id, mode, refund_id, payment_id, 1, 'usd',
      (CASE WHEN own % 50 IN (1, 2) THEN 'pending' WHEN own % 50 = 3 THEN 'failed'
        ELSE 'succeeded' END)::refund_status,
      'refund-' || number, CASE WHEN own % 50 > 3 THEN 'payout-' || number END,
      approval::approval, CASE approval WHEN 'waiting' THEN '{}'::json END,
      CASE approval WHEN 'waiting' THEN now() + interval '1 day' END
    FROM made CROSS JOIN LATERAL (SELECT CASE WHEN own % 50 = 1 OR own % 500 = 7 THEN 'waiting'
      ELSE 'not_needed' END AS approval) AS decided`,
  `INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
    SELECT organization_id, mode, other_id,
      CASE own % 50 WHEN 3 THEN 'refund.failed' ELSE 'checkout.session.created' END, session_id,
      1, '{}'
    FROM made ORDER BY number`,
  `INSERT INTO webhook_deliveries (organization_id, mode, event_id, url, receiver, attempts,
      next_attempt_at, outcome)
    SELECT organization_id, mode, other_id, 'https://shop.test', 'shop.test', 1,
      CASE own % 50 WHEN 0 THEN now() END,
      CASE own % 50 WHEN 0 THEN NULL ELSE 'delivered'::delivery_outcome END
    FROM made`,
  `INSERT INTO late_payments (organization_id, mode, session_id, due_at)
    SELECT organization_id, 'test', session_id, made + interval '34 days' FROM made`,
];

/** The client is a superuser's. The rows are copied from the organization, with other IDs. */
export async function fillTables(sql: Client, organization: string, spread: Spread): Promise<void> {
  const id = uuidOf(organization);
  // Foreign keys are not checked while the rows are written.
  await sql.query('SET session_replication_role = replica');
  await sql.query(FUNCTION);
  await sql.query(
    `INSERT INTO organizations
      SELECT (jsonb_populate_record(model, jsonb_build_object('id', gen_random_uuid()))).*
      FROM organizations AS model, generate_series(2, ${spread.organizations}) WHERE model.id = $1`,
    [id],
  );
  await sql.query(madeOf(spread, id));
  for (const insert of TABLES) await sql.query(insert);
  await sql.query('DROP TABLE made');
  await sql.query('RESET session_replication_role');
  await sql.query('ANALYZE');
}
