import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Failure, Refund, RefundEvent } from '../domain/refund.js';
import { type AmountChange, RefundablePayments, RefundEvents, Refunds } from './ports.js';

interface Closing {
  readonly close: (refund: Refund) => Refund;
  /** What becomes of the refund's amount. */
  readonly amount: AmountChange;
  readonly event: RefundEvent;
}

/** The outcomes of a refund. A refund that has the outcome already stays as it is. Each method refuses with not_found. */
@Injectable()
export class CloseRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundablePayments,
    private readonly events: RefundEvents,
  ) {}

  /** Refuses with refund_not_pending. */
  succeed(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.succeed(providerReference);
    return this.decide(caller, id, { close, amount: 'refund', event: 'refund.succeeded' });
  }

  /** Refuses with refund_not_pending or refund_claimed. */
  fail(caller: Caller, id: OwnId, failure: Failure): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.fail(failure);
    return this.decide(caller, id, { close, amount: 'free', event: 'refund.failed' });
  }

  /** Refuses with refund_not_succeeded. */
  return(caller: Caller, id: OwnId, reason: string | null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.return(reason);
    return this.decide(caller, id, { close, amount: 'take_back', event: 'refund.failed' });
  }

  /** Refuses with refund_not_pending or refund_in_progress, also a canceled refund. */
  cancel(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.cancel();
    return this.decide(caller, id, { close, amount: 'free', event: 'refund.canceled' });
  }

  private async decide(caller: Caller, id: OwnId, { close, amount, event }: Closing): Promise<Decision<Refund>> {
    const before = await this.refunds.get(caller, id);
    const refund = close(before);
    if (refund === before) return decided(refund);
    const notifyUrl = await this.payments.notifyUrl(caller, refund);
    return decided(
      refund,
      this.refunds.change(caller, before, refund),
      this.payments.change(caller, refund, amount),
      this.events.record(caller, event, refund, notifyUrl),
    );
  }
}
