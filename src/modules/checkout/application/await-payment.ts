import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { type CheckoutSession, requireAwaitable } from '../domain/checkout-session.js';
import { CheckoutSessions, SessionEvents } from './ports.js';

/**
 * `until` says how long to wait, in Unix seconds; null ends the wait. `reason` is for the event.
 */
interface Awaited {
  readonly until: number | null;
  readonly reason?: string | null;
}

@Injectable()
export class AwaitPayment {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: SessionEvents,
  ) {}

  /**
   * Keeps the session open while the money for it is on its way. Refuses with not_found or
   * invalid_param, and as CheckoutSession.awaitPayment does.
   */
  async execute(
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
}
