import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Refund } from '../domain/refund.js';
import { RefundablePayments, RefundEvents, Refunds } from './ports.js';

@Injectable()
export class CancelRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundablePayments,
    private readonly events: RefundEvents,
  ) {}

  /** Frees the refund's amount. Refuses with not_found, refund_not_pending or refund_in_progress. */
  async execute(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    const pending = await this.refunds.get(caller, id);
    const refund = pending.cancel();
    const notifyUrl = await this.payments.notifyUrl(caller, refund);
    return decided(
      refund,
      this.refunds.change(caller, pending, refund),
      this.payments.free(caller, refund),
      this.events.record(caller, 'refund.canceled', refund, notifyUrl),
    );
  }
}
