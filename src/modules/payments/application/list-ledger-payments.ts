import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { type Page, pageOf } from '../../../shared/page.js';
import { type LedgerPaymentFilter, LedgerPayments, type OwnedPayment } from './ports.js';

@Injectable()
export class ListLedgerPayments {
  constructor(private readonly payments: LedgerPayments) {}

  async execute(ledger: Ledger, filter: LedgerPaymentFilter): Promise<Page<OwnedPayment>> {
    return pageOf(await this.payments.list(ledger, filter), filter.limit);
  }
}
