import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { Trail } from '../../access/index.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessions, SessionDetails, SessionEvents } from './ports.js';

@Injectable()
export class RedactCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly details: SessionDetails,
    private readonly events: SessionEvents,
    private readonly trail: Trail,
  ) {}

  /**
   * Redacts a session. If it is redacted already, removes what was written since, for example about
   * a refund. Refuses with not_found, and as CheckoutSession.redact does.
   */
  async execute(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const { session, isStored } = await this.sessions.lock(unit, id);
    const redacted = session.redact();
    this.details.clear(unit, redacted);
    if (redacted === session) return session;
    // The sweeper has not recorded this event yet. It is recorded without details too.
    if (!isStored) this.events.record(unit, 'checkout.session.expired', redacted);
    this.events.record(unit, 'checkout.session.redacted', redacted);
    // Nobody asked for what is forgotten because its time is over.
    const redaction = { type: 'checkout_session.redacted', resource: id, changes: {} } as const;
    if (unit.by) this.trail.record(unit, { ...redaction, organization: unit.organization });
    return redacted;
  }
}
