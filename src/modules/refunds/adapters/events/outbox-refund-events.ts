import { Injectable } from '@nestjs/common';
import { counter } from '../../../../platform/metric.js';
import { MODES } from '../../../../shared/caller.js';
import type { TimedCaller } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox } from '../../../events/index.js';
import { RefundEvents } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';
import type { RefundEvent } from '../../domain/refund-state.js';
import { eventDetailsOf, reasonOf, refundJson } from '../representation/refunds.views.js';

export const PAID_UNAPPROVED = counter({
  name: 'tillgate_refunds_paid_unapproved_total',
  help: 'Refunds that the ledger reported as paid out while they waited for approval.',
  labels: { mode: MODES },
});

@Injectable()
export class OutboxRefundEvents extends RefundEvents {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  record(caller: TimedCaller, type: RefundEvent, refund: Refund, notifyUrl: string | null): Write {
    const { version, state } = refund;
    const isUnapproved = type === 'refund.succeeded' && state.approval === 'waiting';
    return this.outbox.record(caller, {
      type,
      object: state.id,
      sequence: type === 'refund.created' ? 1 : version,
      data: refundJson(refund),
      reason: reasonOf(refund),
      details: eventDetailsOf(refund),
      notifyUrl,
      committed: isUnapproved ? () => PAID_UNAPPROVED.inc({ mode: caller.mode }) : undefined,
    });
  }
}
