import { setImmediate as requestsServed } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
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

  record(caller: Caller, type: SessionEvent, session: CheckoutSession): Write {
    return this.outbox.record(caller, newEvent(type, session));
  }

  async recordAll(
    organization: string,
    type: SessionEvent,
    sessions: readonly CheckoutSession[],
  ): Promise<readonly Write[]> {
    const writes: Write[] = [];
    for (const session of sessions) {
      writes.push(this.record({ organization, mode: session.state.mode }, type, session));
      await requestsServed();
    }
    return writes;
  }
}

function newEvent(type: SessionEvent, session: CheckoutSession) {
  const { id, notifyUrl } = session.state;
  return { type, object: id, sequence: session.version, data: checkoutSessionJson(session), notifyUrl };
}
