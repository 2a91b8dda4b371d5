import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessionEvents, SessionDetails } from './ports.js';

@Injectable()
export class RedactCheckoutSession {
  constructor(
    private readonly details: SessionDetails,
    private readonly events: CheckoutSessionEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Of a redacted session, removes what was said since, about a refund for example. Refuses with not_found or session_not_closed. */
  execute(caller: Caller, id: OwnId): Decision<CheckoutSession> {
    return inTransaction(caller, async () => {
      const { session, isStored } = await this.details.lock(caller, id);
      const redacted = session.redact();
      await this.details.clear(caller, redacted);
      if (redacted === session) return decided(session);
      const timed = await this.clock.at(caller);
      // The event that the sweeper has not recorded yet, without details too.
      const expiry = isStored ? [] : [this.events.record(timed, 'checkout.session.expired', redacted)];
      return decided(redacted, ...expiry, this.events.record(timed, 'checkout.session.redacted', redacted));
    });
  }
}
