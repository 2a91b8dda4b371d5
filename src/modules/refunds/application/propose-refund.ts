import { Injectable } from '@nestjs/common';
import type { Answer, Keep } from '../../../shared/answer.js';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { Refusal } from '../../../shared/errors.js';
import { Refund } from '../domain/refund.js';
import { RefundablePayments, Refunds } from './ports.js';

/** Losing a race means less is left, which the next look sees; only releases in between can make it lose again. */
const ATTEMPTS = 5;

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
    private readonly clock: Clock,
  ) {}

  /** Refuses with not_found, refund_exceeds_remaining or payment_not_refundable. Nothing is posted to the ledger. */
  async execute(caller: Caller, { payment: id, amount }: RefundProposal, keep: Keep<Refund>): Promise<Answer> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const payment = await this.payments.get(caller, id);
      const refund = Refund.propose(payment, amount, this.clock.now());
      const kept = keep(refund);
      if (await this.refunds.add(caller, refund, kept)) return kept.answer;
    }
    throw new Refusal('service_unavailable', 'Too many refunds of this payment at once.');
  }
}
