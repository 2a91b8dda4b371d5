import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox } from '../../../events/index.js';
import { CheckoutSessionEvents, type OwnedCheckoutSession } from '../../application/ports.js';
import type { CheckoutSession, SessionEvent } from '../../domain/checkout-session.js';
import { checkoutSessionJson } from '../representation/checkout-sessions.views.js';

@Injectable()
export class OutboxCheckoutSessionEvents extends CheckoutSessionEvents {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  record(caller: Caller, type: SessionEvent, session: CheckoutSession): Write {
    return this.outbox.record(caller, happening(type, session));
  }

  recordAll(type: SessionEvent, sessions: readonly OwnedCheckoutSession[]): readonly Write[] {
    const owned = sessions.map(({ caller, session }) => ({ caller, happening: happening(type, session) }));
    return owned.length === 0 ? [] : [this.outbox.recordAll(owned)];
  }
}

function happening(type: SessionEvent, session: CheckoutSession) {
  const { id, notifyUrl } = session.state;
  return { type, object: id, data: checkoutSessionJson(session), notifyUrl };
}
