import type { PersonalData } from '../../../../platform/module-declaration.js';

const OWN = 'organization_id = $1 AND mode = $2';
const THESE = `${OWN} AND id = ANY ($3::uuid[])`;
const OF_SESSIONS = `${OWN} AND checkout_session_id = ANY ($3::uuid[])`;
const OF_PAYMENTS = `${OWN} AND payment_id = ANY ($3::uuid[])`;
const PAGE = 'AND id > $4 ORDER BY id LIMIT $5';

export const PAYMENT_PERSONAL_DATA: readonly PersonalData[] = [
  // A session that has a payment is kept.
  {
    object: 'checkout.session',
    kept: `SELECT checkout_session_id AS id FROM payments WHERE ${OF_SESSIONS}`,
  },
  {
    object: 'payment',
    of: 'checkout.session',
    belonging: `SELECT id FROM payments WHERE ${OF_SESSIONS} ${PAGE}`,
    // The update locks each payment, so that a reader of notify_url reads again.
    clear: `UPDATE payments SET is_redacted = true, notify_url = NULL, details_since = NULL
      WHERE ${THESE}`,
    // Due at once, also if some of it is being forgotten now.
    unfinished: `UPDATE payments SET details_since = '-infinity' WHERE ${THESE}`,
  },
  {
    object: 'payment.hold',
    of: 'payment',
    belonging: `SELECT id FROM payment_holds WHERE ${OF_PAYMENTS} ${PAGE}`,
    clear: `UPDATE payment_holds SET reason = NULL WHERE ${THESE} AND reason IS NOT NULL`,
    members: { reason: () => null },
  },
];
