import { setImmediate as requestsServed } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox, type OwnedNewEvent } from '../../../events/index.js';
import { CheckoutSessionEvents } from '../../application/ports.js';
import type { CheckoutSession, SessionEvent } from '../../domain/checkout-session.js';
import { checkoutSessionJson } from '../representation/checkout-sessions.views.js';

/** One statement takes events until their JSON has this many characters. */
const BATCH_LENGTH = 256 * 1024;

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
    let batch: OwnedNewEvent[] = [];
    let length = 0;
    for (const session of sessions) {
      const event = newEvent(type, session);
      batch.push({ caller: { organization, mode: session.state.mode }, event });
      length += event.data.length;
      if (length < BATCH_LENGTH) continue;
      writes.push(this.outbox.recordAll(organization, batch));
      batch = [];
      length = 0;
      await requestsServed();
    }
    return batch.length === 0 ? writes : [...writes, this.outbox.recordAll(organization, batch)];
  }
}

function newEvent(type: SessionEvent, session: CheckoutSession) {
  const { id, notifyUrl } = session.state;
  return { type, object: id, sequence: session.version, data: checkoutSessionJson(session), notifyUrl };
}
