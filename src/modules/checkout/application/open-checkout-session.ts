import { Injectable } from '@nestjs/common';
import { CallbackUrls } from '../../../shared/callback-urls.js';
import type { Unit } from '../../../shared/unit.js';
import { CheckoutSession } from '../domain/checkout-session.js';
import type { NewCheckoutSession } from '../domain/session-terms.js';
import { CheckoutSessions, SessionEvents } from './ports.js';

@Injectable()
export class OpenCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: SessionEvents,
    private readonly callbackUrls: CallbackUrls,
  ) {}

  /** Opens a session. Refuses as CheckoutSession.open does. */
  async execute(unit: Unit, input: NewCheckoutSession): Promise<CheckoutSession> {
    const session = CheckoutSession.open(input, unit.mode, unit, this.callbackUrls);
    this.sessions.add(unit, session);
    this.events.record(unit, 'checkout.session.created', session);
    return session;
  }
}
