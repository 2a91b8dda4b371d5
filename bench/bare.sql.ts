/**
 * The baseline does the same durable work as the service, with one statement for each operation.
 */

/** Returns the places $1, $2 … up to a number, from a number on. */
function placeholders(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `$${from + index}`).join(', ');
}

const KEEP = `INSERT INTO idempotency_keys
  (organization_id, mode, operation, key, fingerprint, status, location, body, expires_at)
  VALUES (${placeholders(1, 8)}, now() + make_interval(secs => $9))`;

const DELIVERY = `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)`;
const wanted = (type: number) => `enabled AND events && ARRAY['*', $${type}::text]`;

/**
 * The statement also stores the deliveries to the endpoints that subscribe: those of the
 * organization, and those of the ledger.
 */
const event = (from: number) => `event AS (
    INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data) VALUES (${placeholders(from, 7)})
  ), own AS (
    ${DELIVERY} SELECT organization_id, mode, $${from + 2}::uuid, id, url, receiver, 0::smallint, '-infinity'::timestamptz
    FROM webhook_endpoints WHERE organization_id = $${from} AND mode = $${from + 1} AND ${wanted(from + 3)}
  ), ledger AS (
    ${DELIVERY} SELECT $${from}::uuid, mode, $${from + 2}::uuid, id, url, receiver, 0::smallint, '-infinity'::timestamptz
    FROM ledger_webhook_endpoints WHERE mode = $${from + 1} AND ${wanted(from + 3)}
  )`;

export const ADD_SESSION = `WITH session AS (
    INSERT INTO checkout_sessions
      (organization_id, mode, id, ui_mode, status, payment_status, currency, amount_subtotal, amount_discount,
       amount_shipping, amount_tax, amount_total, success_url, cancel_url, return_url, notify_url, description,
       customer_email, locale, metadata, line_items, expires_at)
    VALUES (${placeholders(10, 21)}, to_timestamp($31))
  ), ${event(32)}
  ${KEEP}`;

export const ADD_REFUND = `WITH held AS (
    UPDATE payments SET amount_pending_refund = amount_pending_refund + $13
    WHERE organization_id = $10 AND mode = $11 AND id = $12
  ), refund AS (
    INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status)
    VALUES (${placeholders(14, 7)})
  ), ${event(21)}
  ${KEEP}`;

export const FIND_KEPT = `SELECT fingerprint, status, location, body FROM idempotency_keys
  WHERE organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4 AND expires_at > now()`;

export const FIND_OWNER = `SELECT organization_id AS organization, mode FROM api_keys
  WHERE digest = $1 AND kind = 'secret' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;

export const FIND_PAYMENT = `SELECT currency, amount - amount_refunded - amount_pending_refund AS refundable
  FROM payments WHERE organization_id = $1 AND mode = $2 AND id = $3`;

const STATUS = `CASE WHEN status = 'open' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END AS status`;

export const FIND_SESSION = `SELECT mode, ui_mode, ${STATUS}, payment_status, currency, amount_total AS amount,
    amount_subtotal, amount_discount, amount_shipping, amount_tax, amount_total, success_url, cancel_url, return_url,
    notify_url, description, customer_email, locale, metadata, line_items,
    extract(epoch FROM expires_at)::bigint AS expires_at
  FROM checkout_sessions WHERE organization_id = $1 AND mode = $2 AND id = $3`;

export const LIST = `SELECT id, mode, ${STATUS}, payment_status, currency, amount_total FROM checkout_sessions
  WHERE organization_id = $1 AND mode = $2 AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5`;
