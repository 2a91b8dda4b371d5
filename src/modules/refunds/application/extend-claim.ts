import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

@Injectable()
export class ExtendClaim {
  constructor(private readonly refunds: Refunds) {}

  /** Extends the lease of a claim. Refuses with not_found, refund_not_pending or refund_claimed. */
  async execute(caller: Caller, id: string, claim: number, leaseSeconds: number): Promise<Decision<Refund>> {
    return inTransaction(async () => {
      const refund = await this.refunds.lock(caller, id);
      refund.requireClaim(claim);
      return decided(await this.refunds.extend(caller, refund, leaseSeconds));
    });
  }
}
