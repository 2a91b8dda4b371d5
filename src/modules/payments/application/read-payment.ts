import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import type { Payment } from '../domain/payment.js';
import { Payments } from './ports.js';

@Injectable()
export class ReadPayment {
  constructor(private readonly payments: Payments) {}

  /** Refuses with not_found on `param`, the parameter that held the ID. */
  async execute(caller: Caller, id: string, param = 'id'): Promise<Payment> {
    const payment = await this.payments.find(caller, id);
    if (!payment) throw notFound(param);
    return payment;
  }
}
