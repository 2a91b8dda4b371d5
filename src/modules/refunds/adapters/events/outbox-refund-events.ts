import { Injectable } from '@nestjs/common';
import type { TimedCaller } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox } from '../../../events/index.js';
import { RefundEvents } from '../../application/ports.js';
import type { Refund, RefundEvent } from '../../domain/refund.js';
import { detailsOf, refundJson } from '../representation/refunds.views.js';

@Injectable()
export class OutboxRefundEvents extends RefundEvents {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  record(caller: TimedCaller, type: RefundEvent, refund: Refund, notifyUrl: string | null): Write {
    const { version, state } = refund;
    return this.outbox.record(caller, {
      type,
      object: state.id,
      sequence: type === 'refund.created' ? 1 : version,
      data: refundJson(refund),
      reason: state.failureReason,
      details: detailsOf(refund),
      notifyUrl,
    });
  }
}
