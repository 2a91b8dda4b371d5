import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Refund } from '../domain/refund.js';
import { RefundablePayments, RefundEvents, Refunds } from './ports.js';

@Injectable()
export class ReturnRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundablePayments,
    private readonly events: RefundEvents,
  ) {}

  /** Frees the refund's amount. A failed refund stays as it is. Refuses with not_found or refund_not_succeeded. */
  async execute(caller: Caller, id: OwnId, reason: string | null): Promise<Decision<Refund>> {
    const succeeded = await this.refunds.get(caller, id);
    const refund = succeeded.return(reason);
    if (refund === succeeded) return decided(refund);
    const notifyUrl = await this.payments.notifyUrl(caller, refund);
    return decided(
      refund,
      this.refunds.change(caller, succeeded, refund),
      this.payments.takeBack(caller, refund),
      this.events.record(caller, 'refund.failed', refund, notifyUrl),
    );
  }
}
