import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Page, pageOf } from '../../../shared/page.js';
import type { Payment } from '../domain/payment.js';
import { type PaymentFilter, Payments } from './ports.js';

@Injectable()
export class ListPayments {
  constructor(private readonly payments: Payments) {}

  async execute(caller: Caller, filter: PaymentFilter): Promise<Page<Payment>> {
    return pageOf(await this.payments.list(caller, filter), filter.limit);
  }
}
