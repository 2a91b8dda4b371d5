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

  /** Up to `limit` open sessions whose time is over, by organization: of anyone, or of a test mode by its moved clock. */
  find(limit: number, by?: MovedClock): Promise<OverdueSessions[]> {
    return this.sessions.overdue(limit, by);
  }

  /** Expires those that are still over. The result is how many. */
  async execute(overdue: OverdueSessions): Promise<Decision<number>> {
    return inTransaction(async () => {
      const expired = await this.sessions.expire(overdue);
      const { organization } = overdue;
      const writes = await this.events.recordAll(organization, 'checkout.session.expired', expired);
      return decided(expired.length, ...writes);
    });
  }
}
