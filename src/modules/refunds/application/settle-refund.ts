import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { modeOf } from '../../../shared/id.js';
import type { Refund } from '../domain/refund.js';
import { Refunds } from './ports.js';

/** Moves a refund out of `pending`, once: by its organization, or by the ledger on its behalf. */
@Injectable()
export class SettleRefund {
  constructor(private readonly refunds: Refunds) {}

  /** Refuses with not_found, or as the transition does. Of two transitions at once the second sees the first's outcome. */
  async execute(caller: Caller, id: string, transition: (refund: Refund) => Refund): Promise<Refund> {
    const refund = modeOf(id) === caller.mode ? await this.refunds.find(caller, id) : undefined;
    if (!refund) throw notFound('id');
    const settled = transition(refund);
    if (settled === refund || (await this.refunds.settle(caller, settled))) return settled;
    // Somebody else was first, and an outcome is final: the transition now refuses, or finds nothing left to do.
    return transition((await this.refunds.find(caller, id)) as Refund);
  }
}
