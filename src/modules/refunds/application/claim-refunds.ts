import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type Claim, LedgerRefunds, type OwnedRefund } from './ports.js';

@Injectable()
export class ClaimRefunds {
  constructor(private readonly refunds: LedgerRefunds) {}

  /**
   * Takes pending refunds that nobody else works on, for one worker and for the time of the lease. The number of the claim
   * is a fencing token: it rises with each claim of the refund.
   */
  async execute(ledger: Ledger, claim: Claim): Promise<Decision<readonly OwnedRefund[]>> {
    return inTransaction(async () => decided(await this.refunds.claim(ledger, claim)));
  }
}
