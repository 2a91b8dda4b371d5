import type { Traces } from '../../../../platform/facts.js';

const OF_SESSIONS = 'organization_id = $1 AND mode = $2 AND checkout_session_id = ANY ($3::uuid[])';
const OF_PAYMENTS = 'organization_id = $1 AND mode = $2 AND payment_id = ANY ($3::uuid[])';

/** A session with a payment stays. */
export const PAYMENT_TRACES: Traces = {
  belonging: [
    `SELECT id FROM payments WHERE ${OF_SESSIONS}`,
    `SELECT id FROM payment_holds WHERE ${OF_PAYMENTS}`,
  ],
  kept: [`SELECT checkout_session_id AS id FROM payments WHERE ${OF_SESSIONS}`],
  clear: [
    `UPDATE payments SET notify_url = NULL WHERE ${OF_SESSIONS} AND notify_url IS NOT NULL`,
    `UPDATE payment_holds SET reason = NULL WHERE ${OF_PAYMENTS} AND reason IS NOT NULL`,
  ],
};
