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

/** The values of HOLD_AMOUNT. */
export function heldValues(caller: Caller, payment: string, amount: number): unknown[] {
  return [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount];
}
