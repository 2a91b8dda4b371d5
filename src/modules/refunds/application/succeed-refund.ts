import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Refund } from '../domain/refund.js';
import { RefundablePayments, RefundEvents, Refunds } from './ports.js';

@Injectable()
export class SucceedRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundablePayments,
    private readonly events: RefundEvents,
  ) {}

  /** A succeeded refund stays as it is. Refuses with not_found or refund_not_pending. */
  async execute(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decision<Refund>> {
    const pending = await this.refunds.get(caller, id);
    const refund = pending.succeed(providerReference);
    if (refund === pending) return decided(refund);
    const notifyUrl = await this.payments.notifyUrl(caller, refund);
    return decided(
      refund,
      this.refunds.change(caller, pending, refund),
      this.payments.refund(caller, refund),
      this.events.record(caller, 'refund.succeeded', refund, notifyUrl),
    );
  }
}
