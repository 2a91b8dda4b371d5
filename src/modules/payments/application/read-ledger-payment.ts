import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { LedgerPayments, type OwnedPayment } from './ports.js';

@Injectable()
export class ReadLedgerPayment {
  constructor(private readonly payments: LedgerPayments) {}

  async execute(ledger: Ledger, id: string, organization?: string): Promise<OwnedPayment> {
    const found = await this.payments.find(ledger, id, organization);
    if (!found) throw notFound('id');
    return found;
  }
}
