import type { Refund } from './refund.js';
import type { RefundStatus } from './refund-state.js';

type Captured = Readonly<{ amount: number; amountOnHold: number }>;

export interface Repair {
  readonly amountRefunded: number;
  readonly amountPendingRefund: number;
  /** These are the pending refunds of more than was captured, as their repair leaves them. */
  readonly failed: readonly Refund[];
  /**
   * This is the amount of claimed refunds beyond what was captured. They may be paid out, so a
   * person has to look at each.
   */
  readonly overdrawn: number;
}

const FAILURE = {
  reason: 'More was proposed than was captured.',
  claim: null,
  providerReference: null,
};

/**
 * Computes what the sums of a payment should be by its refunds, the oldest first. A refund that
 * nobody claimed fails if there is no money left for it.
 */
export function repairOf({ amount, amountOnHold }: Captured, refunds: readonly Refund[]): Repair {
  const sumOf = (some: readonly Refund[]) => some.reduce((sum, { state }) => sum + state.amount, 0);
  const those = (status: RefundStatus) => refunds.filter(({ state }) => state.status === status);
  const [succeeded, pending] = [those('succeeded'), those('pending')];
  const claimed = pending.filter(({ state }) => state.claimNumber > 0);
  const most = amount - amountOnHold - sumOf(succeeded);
  let held = sumOf(claimed);
  const excess = pending.filter(({ state }) => {
    if (state.claimNumber > 0) return false;
    if (held + state.amount > most) return true;
    held += state.amount;
    return false;
  });
  return {
    amountRefunded: sumOf(succeeded),
    amountPendingRefund: Math.min(held, most),
    failed: excess.map((refund) => refund.fail(FAILURE)),
    overdrawn: Math.max(held - most, 0),
  };
}
