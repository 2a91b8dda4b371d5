import { setImmediate as requestsServed } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox, type OwnedHappening } from '../../../events/index.js';
import { CheckoutSessionEvents, type OwnedCheckoutSession } from '../../application/ports.js';
import type { CheckoutSession, SessionEvent } from '../../domain/checkout-session.js';
import { checkoutSessionJson } from '../representation/checkout-sessions.views.js';

/** Characters of sessions whose events are recorded by one statement, or one session that has more. */
const RECORDED_TOGETHER = 256 * 1024;

@Injectable()
export class OutboxCheckoutSessionEvents extends CheckoutSessionEvents {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  record(caller: Caller, type: SessionEvent, session: CheckoutSession): Write {
    return this.outbox.record(caller, happening(type, session));
  }

  async recordAll(
    organization: string,
    type: SessionEvent,
    sessions: readonly OwnedCheckoutSession[],
  ): Promise<readonly Write[]> {
    const writes: Write[] = [];
    let together: OwnedHappening[] = [];
    let length = 0;
    for (const { caller, session } of sessions) {
      const one = happening(type, session);
      together.push({ caller, happening: one });
      length += one.data.length;
      if (length < RECORDED_TOGETHER) continue;
      writes.push(this.outbox.recordAll(organization, together));
      together = [];
      length = 0;
      await requestsServed();
    }
    return together.length === 0 ? writes : [...writes, this.outbox.recordAll(organization, together)];
  }
}

function happening(type: SessionEvent, session: CheckoutSession) {
  const { id, notifyUrl } = session.state;
  return { type, object: id, sequence: session.version, data: checkoutSessionJson(session), notifyUrl };
}
