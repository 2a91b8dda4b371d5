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

  /** Expires the sessions at these places that are still overdue. The result is how many it expired. */
  async execute({ organization, ahead }: MovedClock, places: readonly string[]): Promise<Decision<number>> {
    return inTransaction({ organization }, async () => {
      const expired = await this.sessions.expire(organization, places, ahead);
      const writes = await this.events.recordAll(organization, 'checkout.session.expired', expired);
      return decided(expired.length, ...writes);
    });
  }
}
