import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import { HeldAmounts, PaymentQueries } from '../../../payments/index.js';
import { type AmountChange, RefundablePayments } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';

@Injectable()
export class PaymentsRefundable extends RefundablePayments {
  constructor(
    private readonly payments: PaymentQueries,
    private readonly heldAmounts: HeldAmounts,
  ) {
    super();
  }

  async get(caller: Caller, id: OwnId) {
    const payment = await this.payments.get(caller, id, 'payment');
    payment.requireRefundable('payment');
    const { state, refundable } = payment;
    const { mode, currency, notifyUrl } = state;
    return { id, mode, currency, refundable, notifyUrl };
  }

  async notifyUrl(caller: Caller, refund: Refund): Promise<string | null> {
    return (await this.payments.get(caller, paymentOf(caller, refund), 'payment')).state.notifyUrl;
  }

  change(caller: Caller, refund: Refund, change: AmountChange): Write {
    return this.heldAmounts.change(caller, paymentOf(caller, refund), change, refund.state.amount);
  }
}

const paymentOf = (caller: Caller, { state }: Refund): OwnId => ownId(caller, state.payment, 'payment');
