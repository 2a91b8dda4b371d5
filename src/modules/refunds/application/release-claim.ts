import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

@Injectable()
export class ReleaseClaim {
  constructor(private readonly refunds: Refunds) {}

  /** A released claim stays released. Refuses with not_found, refund_not_pending or refund_claimed. */
  async execute(caller: Caller, id: OwnId, claim: number, delaySeconds: number): Promise<Decision<Refund>> {
    return inTransaction(caller, async () => {
      const { refund: claimed, now } = await this.refunds.lock(caller, id);
      const refund = claimed.release(claim, delaySeconds, now);
      return refund === claimed ? decided(refund) : decided(refund, this.refunds.change(caller, claimed, refund));
    });
  }
}
