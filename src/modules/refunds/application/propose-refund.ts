import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { Refund } from '../domain/refund.js';
import { RefundablePayments, RefundEvents, Refunds } from './ports.js';

export interface RefundProposal {
  readonly payment: string;
  /** In the minor unit of the payment's currency. */
  readonly amount: number;
}

@Injectable()
export class ProposeRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundablePayments,
    private readonly events: RefundEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Refuses with not_found, refund_exceeds_remaining or payment_not_refundable. */
  async execute(caller: Caller, { payment: id, amount }: RefundProposal): Promise<Decision<Refund>> {
    const payment = await this.payments.get(caller, id);
    const refund = Refund.propose(payment, amount, this.clock.at(caller));
    return decided(
      refund,
      this.refunds.add(caller, refund),
      this.events.record(caller, 'refund.created', refund, payment.notifyUrl),
      // Last, because on Citus this write locks the payment until the commit, and other refunds of the payment wait.
      this.payments.reserve(caller, refund),
    );
  }
}
