import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decided, decided } from '../../../shared/decision.js';
import { ownId } from '../../../shared/own-id.js';
import { HeldAmounts, PaymentQueries } from '../../payments/index.js';
import { Refund } from '../domain/refund.js';
import type { NewRefund, Proposer } from '../domain/refund-state.js';
import { RefundEvents, Refunds } from './ports.js';

export interface ProposedRefund {
  readonly refund: Refund;
  /** False if the same refund is already known. */
  readonly isNew: boolean;
}

@Injectable()
export class ProposeRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: PaymentQueries,
    private readonly amounts: HeldAmounts,
    private readonly events: RefundEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Safe to repeat with the same reference. Refuses with not_found, refund_exceeds_remaining, payment_not_refundable or refund_reference_reused. */
  async execute(caller: Caller, input: NewRefund, proposer: Proposer): Promise<Decided<ProposedRefund>> {
    const earlier = await this.earlier(caller, input);
    if (earlier) return earlier;
    try {
      return await this.proposed(caller, input, proposer);
    } catch (error) {
      // Another request may have proposed the same refund meanwhile, which took what was left of the payment.
      const winner = await this.earlier(caller, input);
      if (!winner) throw error;
      return winner;
    }
  }

  private async proposed(caller: Caller, input: NewRefund, proposer: Proposer): Promise<Decided<ProposedRefund>> {
    const id = ownId(caller, input.payment, 'payment');
    const payment = await this.payments.get(caller, id, 'payment');
    payment.requireRefundable('payment');
    const { state, refundable } = payment;
    const timed = await this.clock.at(caller);
    const refund = Refund.propose({ ...state, refundable }, input, timed, proposer);
    return decided(
      { refund, isNew: true },
      this.refunds.add(caller, refund),
      this.events.record(timed, 'refund.created', refund, state.notifyUrl),
      // Last, because this write locks the payment until the commit, and other refunds of the payment wait.
      this.amounts.change(caller, id, 'reserve', refund.state.amount),
    );
  }

  private async earlier(caller: Caller, input: NewRefund): Promise<Decided<ProposedRefund> | undefined> {
    const { reference } = input;
    const refund = reference === null ? undefined : await this.refunds.byReference(caller, reference);
    refund?.requireSameProposal(input);
    return refund && decided({ refund, isNew: false });
  }
}
