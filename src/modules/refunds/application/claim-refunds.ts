import { Injectable } from '@nestjs/common';
import type { Caller, Ledger, Mode } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Refund } from '../domain/refund.js';
import { turnsOf } from '../domain/turns.js';
import { Claims, Refunds } from './ports.js';

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

  constructor(
    private readonly claims: Claims,
    private readonly refunds: Refunds,
  ) {}

  /** Claims pending refunds for one worker until the lease ends. The number of a claim is its fencing token. */
  async execute(ledger: Ledger, claim: NewClaim): Promise<Decision<readonly Refund[]>> {
    const { organization, limit, leaseSeconds } = claim;
    return inTransaction(organization === undefined ? ledger : { organization, ...ledger }, async () => {
      const { refunds, now } =
        organization === undefined
          ? await this.next(ledger, limit)
          : await this.claims.lock(ledger, [{ organization, refunds: limit }]);
      const claimed = refunds.map((refund) => refund.claim(now, leaseSeconds));
      return decided(claimed.sort(byAge), ...this.claims.store(ledger, claimed));
    });
  }

  /** Changes the claim of a refund, by the clock of the database. Refuses with not_found, refund_not_pending or refund_claimed. */
  change(caller: Caller, id: OwnId, transition: (refund: Refund, now: number) => Refund): Decision<Refund> {
    return inTransaction(caller, async () => {
      const { refund: before, now } = await this.refunds.lock(caller, id);
      const refund = transition(before, now);
      if (refund !== before) await this.refunds.change(caller, before, refund);
      return decided(refund);
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
const byAge = (one: Refund, other: Refund) => (one.state.id < other.state.id ? -1 : 1);
