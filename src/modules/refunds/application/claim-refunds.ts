import { Injectable } from '@nestjs/common';
import type { Ledger, Mode } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import { type Turn, turnsOf } from '../domain/turns.js';
import { Claims, type OwnedRefund } from './ports.js';

export interface NewClaim {
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly organization: string | undefined;
}

@Injectable()
export class ClaimRefunds {
  /** The organization that had the last turn. Each process goes round by itself. */
  private readonly last: Record<Mode, string> = { test: NO_ORGANIZATION, live: NO_ORGANIZATION };

  constructor(private readonly claims: Claims) {}

  /** Claims pending refunds for one worker until the lease ends. The number of a claim is its fencing token. */
  async execute(ledger: Ledger, claim: NewClaim): Promise<Decision<readonly OwnedRefund[]>> {
    const { organization, limit, leaseSeconds } = claim;
    return inTransaction(organization === undefined ? ledger : { organization }, async () => {
      const turns = organization === undefined ? await this.turns(ledger, limit) : [{ organization, refunds: limit }];
      const { refunds, now } = await this.claims.lock(ledger, turns);
      const claimed = refunds.map(({ organization, refund }) => ({
        organization,
        refund: refund.claim(now, leaseSeconds),
      }));
      return decided(claimed.sort(byAge), ...this.claims.store(ledger, claimed));
    });
  }

  private async turns(ledger: Ledger, limit: number): Promise<Turn[]> {
    const { mode } = ledger;
    const turns = turnsOf(await this.claims.waiting(ledger, this.last[mode], limit), limit);
    this.last[mode] = turns.at(-1)?.organization ?? this.last[mode];
    return turns;
  }
}

/** IDs sort by creation time. */
const byAge = (one: OwnedRefund, other: OwnedRefund) => (one.refund.state.id < other.refund.state.id ? -1 : 1);
