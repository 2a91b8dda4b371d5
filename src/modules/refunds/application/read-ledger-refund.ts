import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { LedgerRefunds, type OwnedRefund } from './ports.js';

@Injectable()
export class ReadLedgerRefund {
  constructor(private readonly refunds: LedgerRefunds) {}

  async execute(ledger: Ledger, id: string, organization?: string): Promise<OwnedRefund> {
    const found = await this.refunds.find(ledger, id, organization);
    if (!found) throw notFound('id');
    return found;
  }
}
