import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decided, type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import type { MadeRefund } from '../domain/made-refund.js';
import type { Failure, Refund, RefundEvent } from '../domain/refund.js';
import {
  type AmountChange,
  RefundEvents,
  RefundedAmounts,
  type RefundedPayment,
  RefundedPayments,
  Refunds,
} from './ports.js';

interface Closing {
  readonly close: (refund: Refund) => Refund;
  /** What becomes of the refund's amount. */
  readonly amount: AmountChange;
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
    return this.decide(caller, id, { close, amount: 'refund', event: 'refund.succeeded' });
  }

  /** Of a payment that the open transaction has locked. */
  found(caller: Caller, refund: Refund, payment: RefundedPayment, made: MadeRefund): Promise<Decided<Refund>> {
    const close = (before: Refund) => before.found(made);
    return this.closed(caller, refund, payment, { close, amount: 'refund', event: 'refund.succeeded' });
  }

  fail(caller: Caller, id: OwnId, failure: Failure): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.fail(failure);
    return this.decide(caller, id, { close, amount: 'free', event: 'refund.failed' });
  }

  return(caller: Caller, id: OwnId, reason: string | null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.return(reason);
    return this.decide(caller, id, { close, amount: 'take_back', event: 'refund.failed' });
  }

  cancel(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.cancel();
    return this.decide(caller, id, { close, amount: 'free', event: 'refund.canceled' });
  }

  private async decide(caller: Caller, id: OwnId, closing: Closing): Promise<Decision<Refund>> {
    const seen = await this.refunds.get(caller, id);
    if (closing.close(seen) === seen) return decided(seen);
    return inTransaction(caller, async () => {
      // All that moves money of a payment locks the payment first: then no two requests wait for each other.
      const payment = await this.payments.lock(caller, ownId(caller, seen.state.payment));
      return this.closed(caller, await this.refunds.get(caller, id), payment, closing);
    });
  }

  private async closed(caller: Caller, before: Refund, { state }: RefundedPayment, closing: Closing) {
    const refund = closing.close(before);
    if (refund === before) return decided(refund);
    const recorded = await this.recorded(caller, refund);
    const yielded = recorded?.yieldTo(refund);
    const isCounted = recorded !== yielded;
    const changed = [[before, refund, closing.event] as const];
    if (recorded && yielded && isCounted) changed.push([recorded, yielded, 'refund.failed']);
    return decided(
      refund,
      ...changed.map(([from, to]) => this.refunds.change(caller, from, to)),
      this.amounts.change(caller, ownId(caller, state.id), isCounted ? 'free' : closing.amount, refund.state.amount),
      ...changed.map(([, to, event]) => this.events.record(caller, event, to, state.notifyUrl)),
    );
  }

  /** The same payout, if the ledger recorded it before it knew whose it is. */
  private async recorded(caller: Caller, { state }: Refund): Promise<Refund | undefined> {
    const { status, providerReference } = state;
    if (status !== 'succeeded' || providerReference === null) return undefined;
    return this.refunds.madeElsewhere(caller, providerReference);
  }
}
