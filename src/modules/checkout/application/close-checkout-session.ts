import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Captured, Mismatch, OnMismatch } from '../../../shared/captured.js';
import { CallerClock, type MovedClock } from '../../../shared/clock.js';
import { type Decided, type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CheckoutSession, SessionEvent } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

export interface PaidSession {
  /** Why the amount does not pay the session, which then stays as it is; null if it pays it. */
  readonly mismatch: Mismatch | null;
  readonly notifyUrl: string | null;
}

/** Completes or expires an open session. Each method refuses with not_found, and as the same method of CheckoutSession does. */
@Injectable()
export class CloseCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Committed together with the payment. With `record`, a session that the amount does not pay stays as it is. */
  async pay(caller: Caller, id: OwnId, captured: Captured, onMismatch: OnMismatch): Promise<Decided<PaidSession>> {
    const session = await this.sessions.get(caller, id, 'checkout_session');
    const mismatch = session.mismatchOf(captured);
    const { notifyUrl } = session.state;
    if (mismatch !== null && onMismatch === 'record') return decided({ mismatch, notifyUrl });
    const { writes } = await this.closed(caller, 'checkout.session.completed', session.pay(captured));
    return decided({ mismatch, notifyUrl }, ...writes);
  }

  async completeFree(caller: Caller, id: OwnId): Promise<Decided<CheckoutSession>> {
    const session = await this.sessions.get(caller, id);
    return this.closed(caller, 'checkout.session.completed', session.completeFree());
  }

  async expire(caller: Caller, id: OwnId): Promise<Decided<CheckoutSession>> {
    const session = await this.sessions.get(caller, id);
    return this.closed(caller, 'checkout.session.expired', session.expire());
  }

  /** Expires the sessions at these places that are still overdue by a clock that is `ahead`. The result is how many it expired. */
  expireOverdue(clock: MovedClock, places: readonly string[]): Decision<number> {
    return inTransaction(clock, async () => {
      const expired = await this.sessions.expire(clock, places);
      const timed = await this.clock.at(clock);
      const writes = expired.map((session) => this.events.record(timed, 'checkout.session.expired', session));
      return decided(expired.length, ...writes);
    });
  }

  private async closed(
    caller: Caller,
    event: SessionEvent,
    session: CheckoutSession,
  ): Promise<Decided<CheckoutSession>> {
    const timed = await this.clock.at(caller);
    return decided(session, this.sessions.close(timed, session), this.events.record(timed, event, session));
  }
}
