import type { Traces } from '../../../../platform/facts.js';

const OWN = 'organization_id = $1 AND mode = $2';
const OF_SESSIONS = `${OWN} AND checkout_session_id = ANY ($3::uuid[])`;
const OF_PAYMENTS = `${OWN} AND payment_id = ANY ($3::uuid[])`;

/** A session with a payment stays. */
export const PAYMENT_TRACES: Traces = {
  belonging: [
    { name: 'payments.of_sessions', text: `SELECT id FROM payments WHERE ${OF_SESSIONS}` },
    { name: 'payments.holds_of', text: `SELECT id FROM payment_holds WHERE ${OF_PAYMENTS}` },
  ],
  kept: [
    { name: 'payments.paid_sessions', text: `SELECT checkout_session_id AS id FROM payments WHERE ${OF_SESSIONS}` },
  ],
  clear: [
    {
      name: 'payments.clear',
      text: `UPDATE payments SET notify_url = NULL WHERE ${OF_SESSIONS} AND notify_url IS NOT NULL`,
    },
    {
      name: 'payments.clear_holds',
      text: `UPDATE payment_holds SET reason = NULL WHERE ${OF_PAYMENTS} AND reason IS NOT NULL`,
    },
  ],
};
