import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { Refund } from '../domain/refund.js';
import { RefundablePayments, RefundEvents, Refunds } from './ports.js';

export interface Failure {
  readonly reason: string | null;
  readonly claim: number | null;
}

@Injectable()
export class FailRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundablePayments,
    private readonly events: RefundEvents,
  ) {}

  /** Frees the refund's amount. A failed refund stays as it is. Refuses with not_found, refund_not_pending or refund_claimed. */
  async execute(caller: Caller, id: string, { reason, claim }: Failure): Promise<Decision<Refund>> {
    const pending = await this.refunds.get(caller, id);
    const refund = pending.fail(reason, claim);
    if (refund === pending) return decided(refund);
    const notifyUrl = await this.payments.notifyUrl(caller, refund);
    return decided(
      refund,
      this.refunds.change(caller, pending, refund),
      this.payments.free(caller, refund),
      this.events.record(caller, 'refund.failed', refund, notifyUrl),
    );
  }
}
