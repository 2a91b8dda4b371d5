/** The columns of sessions that invariants of other modules may read. */
export const SESSION_BOOK =
  '(SELECT organization_id, mode, id, payment_status, amount_total, currency FROM checkout_sessions)';
