import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Captured, OnMismatch } from '../../../shared/captured.js';
import { type Decided, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CheckoutSession, Mismatch } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

export interface Completion {
  readonly session: CheckoutSession;
  /** Why the amount does not pay the session, which then stays as it is; null if it pays it. */
  readonly mismatch: Mismatch | null;
}

@Injectable()
export class CompleteCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
  ) {}

  /**
   * Committed together with the payment. Refuses with not_found and, unless a mismatch is to be recorded, session_not_open or
   * payment_session_mismatch.
   */
  async execute(caller: Caller, id: OwnId, captured: Captured, onMismatch: OnMismatch): Promise<Decided<Completion>> {
    const session = await this.sessions.get(caller, id, 'checkout_session');
    const mismatch = session.mismatchOf(captured);
    if (mismatch !== null && onMismatch === 'record') return decided({ session, mismatch });
    const paid = session.pay(captured);
    return decided(
      { session: paid, mismatch },
      this.sessions.close(caller, paid),
      this.events.record(caller, 'checkout.session.completed', paid),
    );
  }
}
