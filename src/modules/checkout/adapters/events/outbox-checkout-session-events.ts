import { Injectable } from '@nestjs/common';
import type { TimedCaller } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox } from '../../../events/index.js';
import { CheckoutSessionEvents } from '../../application/ports.js';
import type { CheckoutSession, SessionEvent } from '../../domain/checkout-session.js';
import { checkoutSessionJson } from '../representation/checkout-sessions.views.js';

@Injectable()
export class OutboxCheckoutSessionEvents extends CheckoutSessionEvents {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  record(caller: TimedCaller, type: SessionEvent, session: CheckoutSession, reason: string | null = null): Write {
    const { id, notifyUrl } = session.state;
    const data = checkoutSessionJson(session);
    const sequence = type === 'checkout.session.redacted' ? session.version + 1 : session.version;
    return this.outbox.record(caller, { type, object: id, sequence, data, reason, notifyUrl });
  }
}
