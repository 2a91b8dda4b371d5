import { Injectable } from '@nestjs/common';
import { ownId } from '../../../shared/own-id.js';
import { Stale, type Unit } from '../../../shared/unit.js';
import { LaterDetails, Payments } from '../../payments/index.js';
import { Refund } from '../domain/refund.js';
import type { NewRefund, Proposer } from '../domain/refund-state.js';
import { RefundEvents, Refunds } from './ports.js';

export interface KnownRefund {
  readonly refund: Refund;
  /** This is false if the same refund was known before. */
  readonly isNew: boolean;
}

/**
 * Proposes a refund. It is safe to repeat with the same reference. Refuses with not_found,
 * refund_exceeds_remaining, payment_not_refundable or refund_reference_reused.
 */
@Injectable()
export class ProposeRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
    private readonly laterDetails: LaterDetails,
  ) {}

  async execute(unit: Unit, input: NewRefund, proposer: Proposer): Promise<KnownRefund> {
    const earlier = await this.earlier(unit, input);
    if (earlier) return { refund: earlier, isNew: false };
    try {
      return { refund: await this.propose(unit, input, proposer), isNew: true };
    } catch (error) {
      // Another request may have proposed the same refund meanwhile and taken the rest of the
      // payment.
      throw (await this.earlier(unit, input)) ? new Stale() : error;
    }
  }

  private async propose(unit: Unit, input: NewRefund, proposer: Proposer): Promise<Refund> {
    const id = ownId(unit, input.payment, 'payment');
    const payment = await this.payments.get(unit, id, 'payment');
    payment.requireRefundable('payment');
    const { state, refundable } = payment;
    const refund = Refund.propose({ ...state, refundable }, input, unit, proposer);
    if (refund.hasDetails) this.laterDetails.note(unit, payment);
    this.refunds.add(unit, refund);
    this.events.record(unit, 'refund.created', refund, state.notifyUrl);
    this.payments.changeAmount(unit, payment, 'reserve', refund.state.amount);
    return refund;
  }

  private async earlier(unit: Unit, input: NewRefund): Promise<Refund | undefined> {
    const { reference } = input;
    const refund = reference === null ? undefined : await this.refunds.byReference(unit, reference);
    refund?.requireSameProposal(input);
    return refund;
  }
}
