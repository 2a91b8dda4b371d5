import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessions, SessionDetails, SessionEvents } from './ports.js';

@Injectable()
export class RedactCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly details: SessionDetails,
    private readonly events: SessionEvents,
  ) {}

  /**
   * Of a redacted session, removes what was said since, about a refund for example. Refuses with
   * not_found, and as CheckoutSession.redact does.
   */
  async execute(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const { session, isStored } = await this.sessions.lock(unit, id);
    const redacted = session.redact();
    this.details.clear(unit, redacted);
    if (redacted === session) return session;
    // The event that the sweeper has not recorded yet, without details too.
    if (!isStored) this.events.record(unit, 'checkout.session.expired', redacted);
    this.events.record(unit, 'checkout.session.redacted', redacted);
    return redacted;
  }
}
