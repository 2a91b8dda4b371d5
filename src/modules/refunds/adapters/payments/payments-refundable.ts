import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { notFound } from '../../../../shared/errors.js';
import { modeOf } from '../../../../shared/id.js';
import { FindNotifyUrl, HeldAmounts, ReadPayment } from '../../../payments/index.js';
import { RefundablePayments } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';

@Injectable()
export class PaymentsRefundable extends RefundablePayments {
  constructor(
    private readonly readPayment: ReadPayment,
    private readonly findNotifyUrl: FindNotifyUrl,
    private readonly heldAmounts: HeldAmounts,
  ) {
    super();
  }

  async get(caller: Caller, id: string) {
    // Reads return payments of both modes. A refund must stay in the mode of the key, so that a test key cannot move live money.
    if (modeOf(id) !== caller.mode) throw notFound('payment');
    const payment = await this.readPayment.execute(caller, id, 'payment');
    payment.requireRefundable('payment');
    const { state, refundable } = payment;
    const notifyUrl = await this.findNotifyUrl.execute(caller, payment);
    return { id: state.id, mode: state.mode, currency: state.currency, refundable, notifyUrl };
  }

  async notifyUrl(caller: Caller, { state }: Refund): Promise<string | null> {
    return this.findNotifyUrl.execute(caller, await this.readPayment.execute(caller, state.payment, 'payment'));
  }

  reserve(caller: Caller, { state }: Refund): Write {
    return this.heldAmounts.reserve(caller, state.payment, state.amount);
  }

  free(caller: Caller, { state }: Refund): Write {
    return this.heldAmounts.free(caller, state.payment, state.amount);
  }

  refund(caller: Caller, { state }: Refund): Write {
    return this.heldAmounts.refund(caller, state.payment, state.amount);
  }

  takeBack(caller: Caller, { state }: Refund): Write {
    return this.heldAmounts.takeBack(caller, state.payment, state.amount);
  }
}
