import { Injectable } from '@nestjs/common';
import type { MovedClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { CheckoutSessionEvents, CheckoutSessions, type OverdueSessions } from './ports.js';

@Injectable()
export class ExpireOverdueSessions {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /** Finds up to `limit` overdue sessions of all organizations or, with a moved clock, of its test mode. */
  find(limit: number, clock?: MovedClock): Promise<OverdueSessions[]> {
    return this.sessions.overdue(limit, clock);
  }

  /** Expires the sessions that are still overdue. The result is how many it expired. */
  async execute(overdue: OverdueSessions): Promise<Decision<number>> {
    return inTransaction(async () => {
      const expired = await this.sessions.expire(overdue);
      const { organization } = overdue;
      const writes = await this.events.recordAll(organization, 'checkout.session.expired', expired);
      return decided(expired.length, ...writes);
    });
  }
}
