import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

@Injectable()
export class ReleaseClaim {
  constructor(private readonly refunds: Refunds) {}

  /** A released claim stays released. Refuses with not_found, refund_not_pending or refund_claimed. */
  async execute(caller: Caller, id: string, claim: number): Promise<Decision<Refund>> {
    const claimed = await this.refunds.get(caller, id);
    const refund = claimed.release(claim);
    return refund === claimed ? decided(refund) : decided(refund, this.refunds.change(caller, claimed, refund));
  }
}
