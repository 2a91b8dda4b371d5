import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decided, type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { type AmountChange, HeldAmounts, PaymentQueries } from '../../payments/index.js';
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
    private readonly clock: CallerClock,
  ) {}

  succeed(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decision<Refund>> {
    const close = (refund: Refund) => refund.succeed(providerReference);
    return this.decide(caller, id, { close, change: 'refund', event: 'refund.succeeded' });
  }

  /** In the open transaction. */
  found(caller: Caller, before: Refund, made: MadeRefund): Promise<Decided<Refund>> {
    const close = (refund: Refund) => refund.found(made);
    return this.close(caller, before, { close, change: 'refund', event: 'refund.succeeded' });
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
    return inTransaction(caller, () => this.close(caller, seen, closing));
  }

  /** A refund is changed before its payment is locked, and added after that, everywhere: so no two requests wait for each other. */
  private async close(caller: Caller, before: Refund, { close, change, event }: Closing): Promise<Decided<Refund>> {
    const refund = close(before);
    if (refund === before) return decided(refund);
    const yielded = await this.yielding(caller, refund);
    const changes = [[before, refund, event] as const, ...yielded];
    for (const [from, to] of changes) await this.refunds.change(caller, from, to);
    const { amount, status, payment: paymentId } = refund.state;
    const payment = await this.payments.lock(caller, ownId(caller, paymentId));
    const timed = await this.clock.at(caller);
    if (status === 'succeeded') await this.refunds.requireOnly(caller, refund);
    const isCounted = yielded.length > 0;
    if (change === 'refund' && !isCounted) payment.requirePayable(amount);
    return decided(
      refund,
      ...changes.map(([, to, type]) => this.events.record(timed, type, to, payment.state.notifyUrl)),
      this.amounts.change(caller, ownId(caller, paymentId), isCounted ? 'free' : change, amount),
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
