import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { modeOf } from '../../../../shared/id.js';
import { ReadPayment } from '../../../payments/index.js';
import { RefundablePayments } from '../../application/ports.js';
import type { RefundablePayment } from '../../domain/refund.js';

@Injectable()
export class PaymentsRefundable extends RefundablePayments {
  constructor(private readonly readPayment: ReadPayment) {
    super();
  }

  async get(caller: Caller, id: string): Promise<RefundablePayment> {
    // A test key never moves live money: the other mode's payment is as unknown as another organization's.
    if (modeOf(id) !== caller.mode) throw notFound('payment');
    const { facts, refundable } = await this.readPayment.execute(caller, id, 'payment');
    return { id: facts.id, mode: facts.mode, currency: facts.currency, refundable };
  }
}
