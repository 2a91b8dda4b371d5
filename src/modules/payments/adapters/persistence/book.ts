/** The columns of payments that invariants of other modules may read. */
export const PAYMENT_BOOK =
  '(SELECT organization_id, mode, id, amount, amount_refunded, amount_pending_refund, amount_on_hold FROM payments)';
