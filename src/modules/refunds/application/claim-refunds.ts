import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type Claim, LedgerRefunds, type OwnedRefund } from './ports.js';

@Injectable()
export class ClaimRefunds {
  constructor(private readonly refunds: LedgerRefunds) {}

  /** Claims pending refunds for one worker until the lease ends. The number of a claim is its fencing token. */
  async execute(ledger: Ledger, claim: Claim): Promise<Decision<readonly OwnedRefund[]>> {
    return inTransaction(async () => decided(await this.refunds.claim(ledger, claim)));
  }
}
