import { Injectable } from '@nestjs/common';
import type { MovedClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

@Injectable()
export class ExpireOverdueSessions {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /**
   * Expires up to `limit` open sessions whose time is over: those of anyone or, given moved clocks, those of test modes that
   * are over by theirs. The result is how many.
   */
  async execute(limit: number, clocks?: readonly MovedClock[]): Promise<Decision<number>> {
    return inTransaction(async () => {
      const expired = await this.sessions.expireOverdue(limit, clocks);
      return decided(expired.length, ...(await this.events.recordAll('checkout.session.expired', expired)));
    });
  }
}
