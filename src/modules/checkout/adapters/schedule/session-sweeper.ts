import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../../../persistence/sweep.js';
import { Units } from '../../../../persistence/units.js';
import { Jobs } from '../../../../platform/jobs.js';
import { type Caller, MODES, nameOf } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { Organizations } from '../../../access/index.js';
import { CloseCheckoutSession } from '../../application/close-checkout-session.js';
import {
  CheckoutSessions,
  type ClosedSession,
  type OverdueSession,
  SessionDetails,
} from '../../application/ports.js';
import { RedactCheckoutSession } from '../../application/redact-checkout-session.js';

const EXPIRING_MS = 5_000;
/**
 * The number is small, so that a batch locks its rows for milliseconds only and few whole sessions
 * are in memory for their events.
 */
const EXPIRED_AT_ONCE = 10;
const FORGETTING_MS = 60_000;
const FORGOTTEN_AT_ONCE = 50;
/** A request waits for the work of a clock that was just moved. The job does the rest, if any. */
const MAX_FORGETTING_MS = 5_000;

@Injectable()
export class SessionSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly units: Units,
    private readonly sessions: CheckoutSessions,
    private readonly details: SessionDetails,
    private readonly closeSession: CloseCheckoutSession,
    private readonly redactSession: RedactCheckoutSession,
    private readonly organizations: Organizations,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    // The jobs of one module run in reverse order: sessions that expire here can then be forgotten.
    this.jobs.sweep('forget_sessions', FORGETTING_MS, (clock) =>
      clock ? this.forget(clock, MAX_FORGETTING_MS) : this.forgetAll(),
    );
    this.jobs.sweep('expire_sessions', EXPIRING_MS, (clock) => this.expire(clock));
  }

  /**
   * Stores overdue sessions as expired; reads show them as expired even before. Without a clock, it
   * does so for all organizations.
   */
  async expire(clock?: MovedClock, limit = EXPIRED_AT_ONCE): Promise<void> {
    await sweep<OverdueSession>({
      limit,
      find: (most, after) => this.sessions.overdue(most, after, clock),
      handle: (overdue) => this.expireThese(overdue, clock?.ahead ?? 0),
    });
  }

  async expireThese(overdue: readonly OverdueSession[], ahead: number): Promise<void> {
    for (const owned of Map.groupBy(overdue, nameOf).values()) {
      const [{ organization, mode }] = owned as [OverdueSession];
      const places = owned.map(({ place }) => place);
      await this.units.commit({ organization, mode }, (unit) =>
        this.closeSession.expireOverdue(unit, places, ahead),
      );
    }
  }

  async forgetAll(): Promise<void> {
    const faults: unknown[] = [];
    for (const { id: organization } of await this.organizations.forgetting())
      for (const mode of MODES)
        await this.forget({ organization, mode }).catch((error: unknown) => faults.push(error));
    if (faults.length > 0) throw faults[0];
  }

  /**
   * Forgets the details of sessions that were closed longer ago than the caller keeps them, by its
   * clock. Goes on for about `forMs` if there are many.
   */
  async forget(caller: Caller, forMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { detailsRetentionDays: days } = (await this.organizations.byId(caller.organization))
      .settings;
    if (days === null) return;
    const end = performance.now() + forMs;
    await sweep<ClosedSession>({
      limit: FORGOTTEN_AT_ONCE,
      find: async (most, after) =>
        performance.now() < end ? this.details.closed(caller, { days, limit: most, after }) : [],
      handle: (closed) => this.forgetThese(caller, closed),
    });
  }

  private async forgetThese(caller: Caller, closed: readonly ClosedSession[]): Promise<void> {
    const expired = closed.filter(({ isExpired }) => isExpired).map(({ id }) => id);
    const paid = await this.units.commit(caller, (unit) => this.details.remove(unit, expired));
    for (const { id, isExpired } of closed) {
      if (!isExpired || paid.includes(id))
        await this.units.commit(caller, (unit) => this.redactSession.execute(unit, id));
    }
  }
}
