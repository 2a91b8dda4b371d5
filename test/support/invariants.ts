/** What must hold in the database whatever was killed, cut off or raced: money, and one answer for each object. */
import type { Client } from 'pg';
import { uuidOf } from '../../src/shared/id.js';

/** Each statement finds the rows that break its promise. */
const PROMISES: Readonly<Record<string, string>> = {
  'no payment holds more than was captured': `
    SELECT id FROM payments WHERE amount_refunded + amount_pending_refund + amount_on_hold > amount`,
  'a payment holds the sum of its refunds': `
    SELECT payment.id FROM payments AS payment
    LEFT JOIN refunds AS refund ON (refund.organization_id, refund.mode, refund.payment_id)
      = (payment.organization_id, payment.mode, payment.id)
    GROUP BY payment.organization_id, payment.mode, payment.id
    HAVING payment.amount_pending_refund <> coalesce(sum(refund.amount) FILTER (WHERE refund.status = 'pending'), 0)
      OR payment.amount_refunded <> coalesce(sum(refund.amount) FILTER (WHERE refund.status = 'succeeded'), 0)`,
  'a payment holds the sum of its active holds': `
    SELECT payment.id FROM payments AS payment
    LEFT JOIN payment_holds AS hold ON (hold.organization_id, hold.mode, hold.payment_id)
      = (payment.organization_id, payment.mode, payment.id) AND hold.status = 'active'
    GROUP BY payment.organization_id, payment.mode, payment.id
    HAVING payment.amount_on_hold <> coalesce(sum(hold.amount), 0)`,
  'a claim is on a pending refund': `
    SELECT id FROM refunds WHERE claim_expires_at IS NOT NULL AND status <> 'pending'`,
  'a session is paid by one matching payment': `
    SELECT session.id FROM checkout_sessions AS session LEFT JOIN payments AS payment
      ON (payment.organization_id, payment.mode, payment.checkout_session_id)
        = (session.organization_id, session.mode, session.id) AND payment.mismatch IS NULL
    GROUP BY session.organization_id, session.mode, session.id
    HAVING (session.payment_status = 'paid')::integer <> count(payment.id)`,
  'a refund has the currency of its payment': `
    SELECT refund.id FROM refunds AS refund JOIN payments AS payment
      ON (refund.organization_id, refund.mode, refund.payment_id) = (payment.organization_id, payment.mode, payment.id)
    WHERE refund.currency <> payment.currency`,
};

/** Every session and refund, and every stored response that says one was created. */
const OBJECTS = 'SELECT id FROM checkout_sessions UNION ALL SELECT id FROM refunds';
const ANSWERS = `SELECT body::json ->> 'id' AS id FROM idempotency_keys
  WHERE status = 201 AND operation IN ('POST /v1/checkout_sessions', 'POST /v1/refunds')`;

/** The promises that do not hold, each with the rows that break it. Valid as long as no stored response has been swept. */
export async function brokenPromises(sql: Client): Promise<string[]> {
  const broken: string[] = [];
  for (const [promise, statement] of Object.entries(PROMISES)) {
    const { rows } = await sql.query(statement);
    if (rows.length > 0) broken.push(`${promise}: ${JSON.stringify(rows)}`);
  }
  const objects = (await sql.query<{ id: string }>(OBJECTS)).rows.map(({ id }) => id.replaceAll('-', ''));
  const answers = (await sql.query<{ id: string }>(ANSWERS)).rows.map(({ id }) => uuidOf(id));
  const unlike = [...without(objects, answers), ...without(answers, objects)];
  if (unlike.length > 0) broken.push(`each object stands in exactly one stored response: ${unlike}`);
  return broken;
}

/** What the first list has more often than the second. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...some].sort();
  const taken = new Map<string, number>();
  for (const other of others) taken.set(other, (taken.get(other) ?? 0) + 1);
  return left.filter((one) => {
    const count = taken.get(one) ?? 0;
    if (count > 0) taken.set(one, count - 1);
    return count === 0;
  });
}
