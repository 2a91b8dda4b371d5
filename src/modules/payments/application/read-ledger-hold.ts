import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { LedgerHolds, type OwnedHold } from './ports.js';

@Injectable()
export class ReadLedgerHold {
  constructor(private readonly holds: LedgerHolds) {}

  async execute(ledger: Ledger, id: string, organization?: string): Promise<OwnedHold> {
    const found = await this.holds.find(ledger, id, organization);
    if (!found) throw notFound('id');
    return found;
  }
}
