import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Extension } from '../domain/claim.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

/** Each method refuses with not_found, refund_not_pending or refund_claimed. */
@Injectable()
export class ChangeClaim {
  constructor(private readonly refunds: Refunds) {}

  extend(caller: Caller, id: OwnId, extension: Extension): Decision<Refund> {
    return this.decide(caller, id, (refund, now) => refund.extend(extension, now));
  }

  release(caller: Caller, id: OwnId, claim: number, delaySeconds: number): Decision<Refund> {
    return this.decide(caller, id, (refund, now) => refund.release(claim, delaySeconds, now));
  }

  private decide(caller: Caller, id: OwnId, change: (refund: Refund, now: number) => Refund): Decision<Refund> {
    return inTransaction(caller, async () => {
      const { refund: before, now } = await this.refunds.lock(caller, id);
      const refund = change(before, now);
      if (refund !== before) await this.refunds.change(caller, before, refund);
      return decided(refund);
    });
  }
}
