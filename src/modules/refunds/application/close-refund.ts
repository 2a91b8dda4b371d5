import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decided, type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { type AmountChange, HeldAmounts, type Payment, PaymentQueries } from '../../payments/index.js';
import type { MadeRefund } from '../domain/made-refund.js';
import type { Failure, Refund, RefundEvent } from '../domain/refund.js';
import { RefundEvents, Refunds } from './ports.js';

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
    private readonly payments: PaymentQueries,
    private readonly amounts: HeldAmounts,
    private readonly events: RefundEvents,
  ) {}

  succeed(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.succeed(providerReference);
    return this.decide(caller, id, { close, change: 'refund', event: 'refund.succeeded' });
  }

  /** For a refund of a payment that the open transaction has locked. */
  found(caller: Caller, refund: Refund, made: MadeRefund, payment: Payment): Promise<Decided<Refund>> {
    const close = (before: Refund) => before.found(made);
    return this.closed(caller, refund, { close, change: 'refund', event: 'refund.succeeded' }, payment);
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

  private async decide(caller: Caller, id: OwnId, closing: Closing): Promise<Decision<Refund>> {
    const seen = await this.refunds.get(caller, id);
    if (closing.close(seen) === seen) return decided(seen);
    return inTransaction(caller, async () => {
      // All that moves money of a payment locks the payment first: then no two requests wait for each other.
      const payment = await this.payments.lock(caller, ownId(caller, seen.state.payment));
      return this.closed(caller, await this.refunds.get(caller, id), closing, payment);
    });
  }

  private async closed(caller: Caller, before: Refund, closing: Closing, payment: Payment) {
    const { close, event } = closing;
    const refund = close(before);
    if (refund === before) return decided(refund);
    const changes = [[before, refund, event] as const, ...(await this.yielding(caller, refund))];
    const change = changes.length === 1 ? closing.change : 'free';
    if (change === 'refund') payment.requirePayable(refund.state.amount);
    for (const [from, to] of changes) await this.refunds.change(caller, from, to);
    return decided(
      refund,
      ...changes.map(([, to, type]) => this.events.record(caller, type, to, payment.state.notifyUrl)),
      this.amounts.change(caller, ownId(caller, refund.state.payment), change, refund.state.amount),
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
