import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { type Page, pageOf } from '../../../shared/page.js';
import { type LedgerRefundFilter, LedgerRefunds, type OwnedRefund } from './ports.js';

@Injectable()
export class ListLedgerRefunds {
  constructor(private readonly refunds: LedgerRefunds) {}

  async execute(ledger: Ledger, filter: LedgerRefundFilter): Promise<Page<OwnedRefund>> {
    return pageOf(await this.refunds.list(ledger, filter), filter.limit);
  }
}
