import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import type { Captured, Mismatch, OnMismatch } from '../domain/captured.js';
import type { CheckoutSession, SessionEvent } from '../domain/checkout-session.js';
import { CheckoutSessions, SessionEvents } from './ports.js';

export interface PaidSession {
  /**
   * This says why the amount does not pay the session, which then stays as it is; null if it pays
   * the session.
   */
  readonly mismatch: Mismatch | null;
  readonly notifyUrl: string | null;
  readonly isRedacted: boolean;
}

/**
 * Each method refuses with not_found, and as the method of CheckoutSession with the same name does.
 */
@Injectable()
export class CloseCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: SessionEvents,
  ) {}

  /**
   * Completes the session in the commit of its payment. With `record`, a session that the amount
   * does not pay stays as it is.
   */
  async pay(
    unit: Unit,
    id: OwnId,
    captured: Captured,
    onMismatch: OnMismatch,
  ): Promise<PaidSession> {
    const found = await this.sessions.get(unit, id, 'checkout_session');
    const isChanged = onMismatch === 'refuse' || found.mismatchOf(captured) === null;
    // A payment that does not change its session would not see that it is being redacted.
    const session = isChanged
      ? found
      : (await this.sessions.lock(unit, id, 'checkout_session')).session;
    const mismatch = session.mismatchOf(captured);
    const { notifyUrl, isRedacted } = session.state;
    if (mismatch === null || onMismatch === 'refuse')
      this.close(unit, 'checkout.session.completed', session.pay(captured));
    return { mismatch, notifyUrl, isRedacted };
  }

  async completeFree(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const session = await this.sessions.get(unit, id);
    return this.close(unit, 'checkout.session.completed', session.completeFree());
  }

  async expire(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const session = await this.sessions.get(unit, id);
    return this.close(unit, 'checkout.session.expired', session.expire());
  }

  /**
   * Expires the sessions at these places that are still overdue by a clock that is `ahead`, in
   * milliseconds. Returns how many it expired, and refuses nothing.
   */
  async expireOverdue(unit: Unit, places: readonly string[], ahead: number): Promise<number> {
    const expired = await this.sessions.expire(unit, places, ahead);
    for (const session of expired) this.events.record(unit, 'checkout.session.expired', session);
    return expired.length;
  }

  private close(unit: Unit, event: SessionEvent, session: CheckoutSession): CheckoutSession {
    this.sessions.change(unit, session);
    this.events.record(unit, event, session);
    return session;
  }
}
