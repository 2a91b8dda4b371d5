import { Injectable } from '@nestjs/common';
import { ownId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { type AmountChange, LaterDetails, type Payment, Payments } from '../../payments/index.js';
import type { Refund } from '../domain/refund.js';
import type { RefundEvent } from '../domain/refund-state.js';
import { RefundEvents, Refunds } from './ports.js';

/**
 * Stores a transition, its event and the change of the payment. Every use case locks the payment
 * before its refunds, so no two requests wait for each other.
 */
@Injectable()
export class SettleRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
    private readonly laterDetails: LaterDetails,
  ) {}

  /** `before` is the refund as it was locked. */
  async execute(unit: Unit, payment: Payment, before: Refund, after: Refund): Promise<Refund> {
    if (after === before) return before;
    const { amount } = after.state;
    const yielded = await this.yielding(unit, after);
    const change = yielded ? 'free' : amountChange(before, after);
    if (change === 'refund') payment.requirePayable(amount);
    for (const changed of yielded ? [after, yielded] : [after]) {
      this.refunds.change(unit, changed);
      this.events.record(unit, eventOf(changed), changed, payment.state.notifyUrl);
    }
    if (after.hasDetails) this.laterDetails.note(unit, payment);
    if (change) this.payments.changeAmount(unit, payment, change, amount);
    return after;
  }

  /**
   * Locks the refund that was recorded for the same payout before the ledger knew the proposed
   * refund, and returns it as failed. Its amount is counted already.
   */
  private async yielding(unit: Unit, refund: Refund): Promise<Refund | undefined> {
    const { status, providerReference } = refund.state;
    if (status !== 'succeeded' || providerReference === null) return undefined;
    const recorded = await this.refunds.byPayout(unit, refund.state);
    if (recorded === undefined || recorded.yieldTo(refund) === recorded) return undefined;
    const { refund: locked } = await this.refunds.lock(unit, ownId(unit, recorded.state.id));
    return locked.yieldTo(refund);
  }
}

function amountChange(
  { state: before }: Refund,
  { state: after }: Refund,
): AmountChange | undefined {
  if (before.status === after.status) return undefined;
  if (before.status === 'succeeded') return 'take_back';
  return after.status === 'succeeded' ? 'refund' : 'free';
}

/** Names the event of a changed refund: one that is still pending was approved. */
function eventOf({ state: { status } }: Refund): RefundEvent {
  return status === 'pending' ? 'refund.approved' : `refund.${status}`;
}
