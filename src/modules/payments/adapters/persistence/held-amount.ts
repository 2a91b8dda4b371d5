import type { StatementPart } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';

/** The constraint that refuses to hold more than was captured. */
export const HELD_CONSTRAINT = 'payments_held_within_captured';

/** The part of a refund's statement that holds its amount: more than is left fails the whole statement. */
export const HOLD_AMOUNT: StatementPart = {
  parameters: 4,
  sql: `UPDATE payments SET amount_pending_refund = amount_pending_refund + $4
    WHERE organization_id = $1 AND mode = $2 AND id = $3`,
};

/**
 * The end of a statement that begins with a WITH query `refund` of at most one row (organization_id, mode, payment_id,
 * amount, status): what was pending is refunded, or free again.
 */
export const SETTLE_AMOUNT = `UPDATE payments SET
    amount_pending_refund = amount_pending_refund - refund.amount,
    amount_refunded = amount_refunded + CASE refund.status WHEN 'succeeded' THEN refund.amount ELSE 0 END
  FROM refund WHERE payments.organization_id = refund.organization_id AND payments.mode = refund.mode
    AND payments.id = refund.payment_id`;

/** The values of HOLD_AMOUNT. */
export function heldValues(caller: Caller, payment: string, amount: number): unknown[] {
  return [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount];
}
