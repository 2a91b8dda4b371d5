/** What other modules' invariants may read of each session. */
export const SESSION_BOOK =
  '(SELECT organization_id, mode, id, payment_status, amount_total, currency FROM checkout_sessions)';
