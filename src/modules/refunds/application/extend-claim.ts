import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Extension } from '../domain/claim.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

@Injectable()
export class ExtendClaim {
  constructor(private readonly refunds: Refunds) {}

  /** Extends the lease of a claim. Refuses with not_found, refund_not_pending or refund_claimed. */
  async execute(caller: Caller, id: OwnId, extension: Extension): Promise<Decision<Refund>> {
    return inTransaction(caller, async () => {
      const { refund: claimed, now } = await this.refunds.lock(caller, id);
      const refund = claimed.extend(extension, now);
      return decided(refund, this.refunds.change(caller, claimed, refund));
    });
  }
}
