import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { sessionNotOpen } from '../domain/checkout-session.js';
import { CheckoutSessions } from './ports.js';

/** What was captured for a session, in the minor unit of its currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

@Injectable()
export class CompleteCheckoutSession {
  constructor(private readonly sessions: CheckoutSessions) {}

  /**
   * Completes an open session that asks for exactly this much. Runs in the caller's transaction, together with the
   * payment. Refuses with not_found, session_not_open or payment_session_mismatch.
   */
  async execute(caller: Caller, id: string, { amount, currency }: Captured): Promise<void> {
    const session = await this.sessions.lock(caller, id);
    if (!session) throw notFound('checkout_session');
    const paid = session.pay(amount, currency);
    // Locked and open: only its time can have run out since.
    if (!(await this.sessions.settle(caller, paid))) throw sessionNotOpen(id, 'expired', 'checkout_session');
  }
}
