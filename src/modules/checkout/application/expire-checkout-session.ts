import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

@Injectable()
export class ExpireCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /** Expires an open session. Refuses with not_found or session_not_open. */
  async execute(caller: Caller, id: OwnId): Promise<Decision<CheckoutSession>> {
    const session = (await this.sessions.get(caller, id)).expire();
    return decided(
      session,
      this.sessions.close(caller, session),
      this.events.record(caller, 'checkout.session.expired', session),
    );
  }
}
