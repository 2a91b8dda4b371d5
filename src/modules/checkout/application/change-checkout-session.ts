import { Injectable } from '@nestjs/common';
import type { Captured, Mismatch, OnMismatch } from '../../../shared/captured.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { WebhookUrls } from '../../../shared/webhook-urls.js';
import {
  CheckoutSession,
  requireAwaitable,
  type SessionEvent,
} from '../domain/checkout-session.js';
import type { NewCheckoutSession } from '../domain/session-terms.js';
import { CheckoutSessions, SessionDetails, SessionEvents } from './ports.js';

export interface PaidSession {
  /** Why the amount does not pay the session, which then stays as it is; null if it pays it. */
  readonly mismatch: Mismatch | null;
  readonly notifyUrl: string | null;
}

/** Until when to wait, in Unix seconds, or null to wait no longer; and why, for the event. */
interface Awaited {
  readonly until: number | null;
  readonly reason?: string | null;
}

/** Each method refuses as the same method of CheckoutSession does, and all but `open` with not_found. */
@Injectable()
export class ChangeCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly details: SessionDetails,
    private readonly events: SessionEvents,
    private readonly webhookUrls: WebhookUrls,
  ) {}

  async open(unit: Unit, input: NewCheckoutSession): Promise<CheckoutSession> {
    const session = CheckoutSession.open(input, unit.mode, unit, this.webhookUrls);
    this.sessions.add(unit, session);
    this.events.record(unit, 'checkout.session.created', session);
    return session;
  }

  /** Committed together with the payment. With `record`, a session that the amount does not pay stays as it is. */
  async pay(
    unit: Unit,
    id: OwnId,
    captured: Captured,
    onMismatch: OnMismatch,
  ): Promise<PaidSession> {
    const session = await this.sessions.get(unit, id, 'checkout_session');
    const mismatch = session.mismatchOf(captured);
    const { notifyUrl } = session.state;
    if (mismatch === null || onMismatch === 'refuse')
      this.close(unit, 'checkout.session.completed', session.pay(captured));
    return { mismatch, notifyUrl };
  }

  async completeFree(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const session = await this.sessions.get(unit, id);
    return this.close(unit, 'checkout.session.completed', session.completeFree());
  }

  async expire(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const session = await this.sessions.get(unit, id);
    return this.close(unit, 'checkout.session.expired', session.expire());
  }

  /** Expires the sessions at these places that are still overdue by a clock that is `ahead`. The result is how many it expired. */
  async expireOverdue(unit: Unit, places: readonly string[], ahead: number): Promise<number> {
    const expired = await this.sessions.expire(unit, places, ahead);
    for (const session of expired) this.events.record(unit, 'checkout.session.expired', session);
    return expired.length;
  }

  /** Keeps the session open while the money for it is on its way. Refuses with invalid_param, too. */
  async awaitPayment(
    unit: Unit,
    id: OwnId,
    { until, reason = null }: Awaited,
  ): Promise<CheckoutSession> {
    const now = Math.floor(unit.now / 1000);
    requireAwaitable(until, now);
    const { session } = await this.sessions.lock(unit, id);
    const awaiting = session.awaitPayment(until, now + 1);
    if (awaiting === session) return session;
    this.sessions.change(unit, awaiting);
    this.events.record(unit, 'checkout.session.awaiting_payment', awaiting, reason);
    return awaiting;
  }

  /** Of a redacted session, removes what was said since, about a refund for example. */
  async redact(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const { session, isStored } = await this.sessions.lock(unit, id);
    const redacted = session.redact();
    this.details.clear(unit, redacted);
    if (redacted === session) return session;
    // The event that the sweeper has not recorded yet, without details too.
    if (!isStored) this.events.record(unit, 'checkout.session.expired', redacted);
    this.events.record(unit, 'checkout.session.redacted', redacted);
    return redacted;
  }

  private close(unit: Unit, event: SessionEvent, session: CheckoutSession): CheckoutSession {
    this.sessions.change(unit, session);
    this.events.record(unit, event, session);
    return session;
  }
}
