import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type DecidedInTransaction, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { type CheckoutSession, requireAwaitable } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, CheckoutSessions } from './ports.js';

/** Until when to wait, in Unix seconds, or null to wait no longer; and why, for the event. */
export interface Awaited {
  readonly until: number | null;
  readonly reason: string | null;
}

@Injectable()
export class AwaitPayment {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: CheckoutSessionEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Keeps a session open while the money for it is on its way. Refuses with invalid_param, not_found or session_not_open. */
  execute(caller: Caller, id: OwnId, { until, reason }: Awaited): DecidedInTransaction<CheckoutSession> {
    return inTransaction(caller, async () => {
      const timed = await this.clock.at(caller);
      const now = Math.floor(timed.now / 1000);
      requireAwaitable(until, now);
      const session = await this.sessions.lock(caller, id);
      const awaiting = session.awaitPayment(until, now + 1);
      if (awaiting === session) return decided(session);
      const event = this.events.record(timed, 'checkout.session.awaiting_payment', awaiting, reason);
      return decided(awaiting, this.sessions.postpone(timed, awaiting), event);
    });
  }
}
