import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import type { Failure, Refund, RefundEvent } from '../domain/refund.js';
import { type AmountChange, RefundEvents, RefundedAmounts, RefundedPayments, Refunds } from './ports.js';

interface Closing {
  readonly close: (refund: Refund) => Refund;
  /** What becomes of the refund's amount. */
  readonly change: AmountChange;
  readonly event: RefundEvent;
}

/** The outcomes of a refund. Each method refuses with not_found, and as the same method of Refund does. */
@Injectable()
export class CloseRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundedPayments,
    private readonly amounts: RefundedAmounts,
    private readonly events: RefundEvents,
  ) {}

  succeed(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.succeed(providerReference);
    return this.decide(caller, id, { close, change: 'refund', event: 'refund.succeeded' });
  }

  fail(caller: Caller, id: OwnId, failure: Failure): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.fail(failure);
    return this.decide(caller, id, { close, change: 'free', event: 'refund.failed' });
  }

  return(caller: Caller, id: OwnId, reason: string | null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.return(reason);
    return this.decide(caller, id, { close, change: 'take_back', event: 'refund.failed' });
  }

  cancel(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.cancel();
    return this.decide(caller, id, { close, change: 'free', event: 'refund.canceled' });
  }

  private async decide(caller: Caller, id: OwnId, { close, change, event }: Closing): Promise<Decision<Refund>> {
    const before = await this.refunds.get(caller, id);
    const refund = close(before);
    if (refund === before) return decided(refund);
    const payment = ownId(caller, refund.state.payment, 'payment');
    const captured = await this.payments.get(caller, payment, 'payment');
    if (change === 'refund') captured.requirePayable(refund.state.amount);
    return decided(
      refund,
      this.refunds.change(caller, before, refund),
      this.events.record(caller, event, refund, captured.state.notifyUrl),
      this.amounts.change(caller, payment, change, refund.state.amount),
    );
  }
}
