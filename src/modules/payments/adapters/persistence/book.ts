/** The columns of payments that invariants of other modules may read. */
export const PAYMENT_BOOK =
  '(SELECT organization_id, mode, id, amount, amount_refunded, amount_pending_refund, amount_on_hold FROM payments)';

/** For the story of a payment. */
export const SESSION_OF_PAYMENT =
  'SELECT checkout_session_id FROM payments WHERE organization_id = $1 AND mode = $2 AND id = $3';
