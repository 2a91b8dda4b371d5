import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decided, decided } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import type { MadeRefund } from '../domain/made-refund.js';
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

  succeed(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decided<Refund>> {
    const close = (refund: Refund) => refund.succeed(providerReference);
    return this.decide(caller, this.refunds.get(caller, id), { close, change: 'refund', event: 'refund.succeeded' });
  }

  found(caller: Caller, refund: Refund, made: MadeRefund): Promise<Decided<Refund>> {
    const close = (before: Refund) => before.found(made);
    return this.decide(caller, refund, { close, change: 'refund', event: 'refund.succeeded' });
  }

  fail(caller: Caller, id: OwnId, failure: Failure): Promise<Decided<Refund>> {
    const close = (refund: Refund) => refund.fail(failure);
    return this.decide(caller, this.refunds.get(caller, id), { close, change: 'free', event: 'refund.failed' });
  }

  return(caller: Caller, id: OwnId, reason: string | null): Promise<Decided<Refund>> {
    const close = (refund: Refund) => refund.return(reason);
    return this.decide(caller, this.refunds.get(caller, id), { close, change: 'take_back', event: 'refund.failed' });
  }

  cancel(caller: Caller, id: OwnId): Promise<Decided<Refund>> {
    const close = (refund: Refund) => refund.cancel();
    return this.decide(caller, this.refunds.get(caller, id), { close, change: 'free', event: 'refund.canceled' });
  }

  /** A refund is changed before its payment, and added after it, everywhere: so no two requests wait for each other. */
  private async decide(caller: Caller, read: Refund | Promise<Refund>, closing: Closing): Promise<Decided<Refund>> {
    const { close, event } = closing;
    const before = await read;
    const refund = close(before);
    if (refund === before) return decided(refund);
    const { amount, payment: paymentId } = refund.state;
    const id = ownId(caller, paymentId);
    const payment = await this.payments.get(caller, id, 'payment');
    const yielded = await this.yielding(caller, refund);
    const change = yielded.length > 0 ? 'free' : closing.change;
    if (change === 'refund' && amount > payment.payable) {
      // Unless another request closed the refund after it was read here: then the payment was read without its amount.
      const now = await this.refunds.get(caller, ownId(caller, refund.state.id));
      if (now.state.status !== before.state.status) return this.decide(caller, now, closing);
      payment.requirePayable(amount);
    }
    const changes = [[before, refund, event] as const, ...yielded];
    const isPaidOut = change === 'refund' && refund.state.providerReference !== null;
    return decided(
      refund,
      ...changes.map(([from, to]) => this.refunds.change(caller, from, to)),
      ...(isPaidOut ? [this.amounts.lock(caller, id), this.refunds.requireOnly(caller, refund)] : []),
      ...changes.map(([, to, type]) => this.events.record(caller, type, to, payment.state.notifyUrl)),
      this.amounts.change(caller, id, change, amount),
    );
  }

  /** What was recorded of the same payout before the ledger knew whose it is. Its amount is counted already. */
  private async yielding(caller: Caller, refund: Refund) {
    const { status, providerReference } = refund.state;
    if (status !== 'succeeded' || providerReference === null) return [];
    const recorded = await this.refunds.byPayout(caller, refund.state);
    const yielded = recorded?.yieldTo(refund);
    return recorded && yielded && yielded !== recorded ? [[recorded, yielded, 'refund.failed'] as const] : [];
  }
}
