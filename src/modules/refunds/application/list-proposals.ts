import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { type Page, pageOf } from '../../../shared/page.js';
import { type LedgerRefundFilter, LedgerRefunds, type OwnedRefund } from './ports.js';

/** What the ledger looks at before it decides. */
@Injectable()
export class ListProposals {
  constructor(private readonly refunds: LedgerRefunds) {}

  /** Oldest first. */
  async execute(ledger: Ledger, filter: LedgerRefundFilter): Promise<Page<OwnedRefund>> {
    return pageOf(await this.refunds.list(ledger, filter), filter.limit);
  }

  /** One refund, and whose it is. Throws a not_found refusal. */
  async find(ledger: Ledger, id: string): Promise<OwnedRefund> {
    const found = await this.refunds.find(ledger, id);
    if (!found) throw notFound('id');
    return found;
  }
}
