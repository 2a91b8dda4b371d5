import { Injectable } from '@nestjs/common';
import type { Ledger, Mode } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import { turnsOf } from '../domain/turns.js';
import { Claims, type OwnedRefund } from './ports.js';

export interface NewClaim {
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly organization: string | undefined;
}

/** A look may pass by a thousand organizations whose refunds all wait, or find what another worker takes at the same time. */
const MOST_LOOKS = 10;

@Injectable()
export class ClaimRefunds {
  /** The organization at which the last look ended. Each process goes round by itself. */
  private readonly last: Record<Mode, string> = { test: NO_ORGANIZATION, live: NO_ORGANIZATION };

  constructor(private readonly claims: Claims) {}

  /** Claims pending refunds for one worker until the lease ends. The number of a claim is its fencing token. */
  async execute(ledger: Ledger, claim: NewClaim): Promise<Decision<readonly OwnedRefund[]>> {
    const { organization, limit, leaseSeconds } = claim;
    return inTransaction(organization === undefined ? ledger : { organization, ...ledger }, async () => {
      const { refunds, now } =
        organization === undefined
          ? await this.next(ledger, limit)
          : await this.claims.lock(ledger, [{ organization, refunds: limit }]);
      const claimed = refunds.map(({ organization, refund }) => ({
        organization,
        refund: refund.claim(now, leaseSeconds),
      }));
      return decided(claimed.sort(byAge), ...this.claims.store(ledger, claimed));
    });
  }

  private async next(ledger: Ledger, limit: number) {
    const { mode } = ledger;
    for (let look = 1; ; look++) {
      const waiting = await this.claims.waiting(ledger, this.last[mode], limit);
      this.last[mode] = waiting.at(-1)?.organization ?? this.last[mode];
      const locked = await this.claims.lock(ledger, turnsOf(waiting, limit));
      if (locked.refunds.length > 0 || waiting.length === 0 || look === MOST_LOOKS) return locked;
    }
  }
}

/** IDs sort by creation time. */
const byAge = (one: OwnedRefund, other: OwnedRefund) => (one.refund.state.id < other.refund.state.id ? -1 : 1);
