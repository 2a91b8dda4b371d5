import { Injectable } from '@nestjs/common';
import type { Mode } from '../../../shared/caller.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { LedgerUnit, Unit } from '../../../shared/unit.js';
import type { Refund } from '../domain/refund.js';
import type { Extension } from '../domain/refund-state.js';
import { roundRobin } from '../domain/round-robin.js';
import { Claims, Refunds } from './ports.js';

export interface NewClaim {
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly organization: string | undefined;
}

/**
 * One claim looks several times: a look may pass by a thousand organizations whose refunds all
 * wait, or find refunds that another worker takes at the same time.
 */
const MOST_LOOKS = 10;

/** Serves the claims of the workers that pay refunds out, by the clock of the database. */
@Injectable()
export class ClaimRefunds {
  /** This is the organization at which the last look ended. Each process goes round by itself. */
  private readonly last: Record<Mode, string> = { test: NO_ORGANIZATION, live: NO_ORGANIZATION };

  constructor(
    private readonly claims: Claims,
    private readonly refunds: Refunds,
  ) {}

  /**
   * Claims pending refunds for one worker until the lease ends. The number of a claim is its
   * fencing token.
   */
  async claim(
    unit: LedgerUnit,
    { organization, limit, leaseSeconds }: NewClaim,
  ): Promise<readonly Refund[]> {
    const { refunds, now } =
      organization === undefined
        ? await this.next(unit, limit)
        : await this.claims.lock(unit, [{ organization, refunds: limit }]);
    const claimed = refunds.map((refund) => refund.claim(now, leaseSeconds));
    this.claims.store(unit, claimed);
    return claimed.sort(byAge);
  }

  /** Extends the lease of a claim. Refuses with not_found, refund_not_pending or refund_claimed. */
  extend(unit: Unit, id: OwnId, extension: Extension): Promise<Refund> {
    return this.change(unit, id, (refund, now) => refund.extend(extension, now));
  }

  /**
   * Gives up a claim. Another worker can claim the refund after the delay. Refuses with not_found,
   * refund_not_pending or refund_claimed.
   */
  release(unit: Unit, id: OwnId, claim: number, delaySeconds: number): Promise<Refund> {
    return this.change(unit, id, (refund, now) => refund.release(claim, delaySeconds, now));
  }

  private async change(
    unit: Unit,
    id: OwnId,
    transition: (refund: Refund, now: number) => Refund,
  ): Promise<Refund> {
    const { refund, now } = await this.refunds.lock(unit, id);
    const changed = transition(refund, now);
    if (changed !== refund) this.refunds.change(unit, changed);
    return changed;
  }

  private async next(unit: LedgerUnit, limit: number) {
    const { mode } = unit;
    for (let look = 1; ; look++) {
      const waiting = await this.claims.waiting(unit, this.last[mode], limit);
      this.last[mode] = waiting.at(-1)?.organization ?? this.last[mode];
      const locked = await this.claims.lock(unit, roundRobin(waiting, limit));
      if (locked.refunds.length > 0 || waiting.length === 0 || look === MOST_LOOKS) return locked;
    }
  }
}

/** The order is by ID, because IDs sort by creation time. */
const byAge = (one: Refund, other: Refund) => (one.state.id < other.state.id ? -1 : 1);
