import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decided, decided } from '../../../shared/decision.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

/** What was captured for a session, in the minor unit of its currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

@Injectable()
export class CompleteCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /**
   * Completes an open session that asks for exactly this much, together with the payment. Refuses with not_found,
   * session_not_open or payment_session_mismatch.
   */
  async execute(caller: Caller, id: string, { amount, currency }: Captured): Promise<Decided<CheckoutSession>> {
    const session = (await this.sessions.get(caller, id, 'checkout_session')).pay(amount, currency);
    return decided(
      session,
      this.sessions.close(caller, session),
      this.events.record(caller, 'checkout.session.completed', session),
    );
  }
}
