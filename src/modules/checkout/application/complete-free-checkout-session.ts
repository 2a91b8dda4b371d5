import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decided, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

@Injectable()
export class CompleteFreeCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /** Completes an open session whose total is 0. Refuses with not_found or payment_required. */
  async execute(caller: Caller, id: OwnId): Promise<Decided<CheckoutSession>> {
    const session = (await this.sessions.get(caller, id)).completeFree();
    return decided(
      session,
      this.sessions.close(caller, session),
      this.events.record(caller, 'checkout.session.completed', session),
    );
  }
}
