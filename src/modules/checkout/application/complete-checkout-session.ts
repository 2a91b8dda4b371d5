import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decided, decided } from '../../../shared/decision.js';
import type { Captured, CheckoutSession, Mismatch } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

@Injectable()
export class CompleteCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /** Committed together with the payment. Refuses with not_found, session_not_open or payment_session_mismatch. */
  async execute(caller: Caller, id: string, captured: Captured): Promise<Decided<CheckoutSession>> {
    const session = (await this.sessions.get(caller, id, 'checkout_session')).pay(captured);
    return decided(
      session,
      this.sessions.close(caller, session),
      this.events.record(caller, 'checkout.session.completed', session),
    );
  }

  /** Why a payment of this amount does not complete the session, or null if it does. Refuses with not_found. */
  async mismatch(caller: Caller, id: string, captured: Captured): Promise<Mismatch | null> {
    return (await this.sessions.get(caller, id, 'checkout_session')).mismatchOf(captured);
  }
}
