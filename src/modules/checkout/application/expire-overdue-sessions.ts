import { Injectable } from '@nestjs/common';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

@Injectable()
export class ExpireOverdueSessions {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /** Expires up to `limit` open sessions of anyone whose time is over. The result is how many. */
  async execute(limit: number): Promise<Decision<number>> {
    return inTransaction(async () => {
      const expired = await this.sessions.expireOverdue(limit);
      return decided(expired.length, ...(await this.events.recordAll('checkout.session.expired', expired)));
    });
  }
}
