import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Captured, Mismatch, OnMismatch } from '../../../shared/captured.js';
import { CallerClock, type MovedClock } from '../../../shared/clock.js';
import {
  type Decided,
  type DecidedInTransaction,
  type Decision,
  decided,
  inTransaction,
} from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { WebhookUrls } from '../../../shared/webhook-urls.js';
import { CheckoutSession, requireAwaitable, type SessionEvent } from '../domain/checkout-session.js';
import type { NewCheckoutSession } from '../domain/session-terms.js';
import { CheckoutSessions, SessionDetails } from './ports.js';

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
    private readonly clock: CallerClock,
    private readonly webhookUrls: WebhookUrls,
  ) {}

  async open(caller: Caller, input: NewCheckoutSession): Promise<Decided<CheckoutSession>> {
    const timed = await this.clock.at(caller);
    const session = CheckoutSession.open(input, caller.mode, timed, this.webhookUrls);
    const created = this.sessions.record(timed, 'checkout.session.created', session);
    return decided(session, this.sessions.add(caller, session), created);
  }

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
      const writes = expired.map((session) => this.sessions.record(timed, 'checkout.session.expired', session));
      return decided(expired.length, ...writes);
    });
  }

  /** Keeps the session open while the money for it is on its way. Refuses with invalid_param, too. */
  awaitPayment(caller: Caller, id: OwnId, { until, reason = null }: Awaited): DecidedInTransaction<CheckoutSession> {
    return inTransaction(caller, async () => {
      const timed = await this.clock.at(caller);
      const now = Math.floor(timed.now / 1000);
      requireAwaitable(until, now);
      const { session } = await this.sessions.lock(caller, id);
      const awaiting = session.awaitPayment(until, now + 1);
      if (awaiting === session) return decided(session);
      const event = this.sessions.record(timed, 'checkout.session.awaiting_payment', awaiting, reason);
      return decided(awaiting, this.sessions.change(timed, awaiting), event);
    });
  }

  /** Of a redacted session, removes what was said since, about a refund for example. */
  redact(caller: Caller, id: OwnId): Decision<CheckoutSession> {
    return inTransaction(caller, async () => {
      const { session, isStored } = await this.sessions.lock(caller, id);
      const redacted = session.redact();
      await this.details.clear(caller, redacted);
      if (redacted === session) return decided(session);
      const timed = await this.clock.at(caller);
      // The event that the sweeper has not recorded yet, without details too.
      const expiry = isStored ? [] : [this.sessions.record(timed, 'checkout.session.expired', redacted)];
      return decided(redacted, ...expiry, this.sessions.record(timed, 'checkout.session.redacted', redacted));
    });
  }

  private async closed(
    caller: Caller,
    event: SessionEvent,
    session: CheckoutSession,
  ): Promise<Decided<CheckoutSession>> {
    const timed = await this.clock.at(caller);
    return decided(session, this.sessions.change(timed, session), this.sessions.record(timed, event, session));
  }
}
