import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decided, type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { type AmountChange, HeldAmounts, PaymentQueries } from '../../payments/index.js';
import type { ApprovalDecision, ApprovedAmount } from '../domain/approval.js';
import type { MadeRefund } from '../domain/made-refund.js';
import type { Refund } from '../domain/refund.js';
import type { Failure, RefundEvent } from '../domain/refund-state.js';
import { RefundEvents, Refunds } from './ports.js';

/** What becomes of a refund, by the caller's clock. Each method refuses with not_found, and as the same method of Refund does. */
@Injectable()
export class DecideRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: PaymentQueries,
    private readonly amounts: HeldAmounts,
    private readonly events: RefundEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Its amount is reserved since the proposal: so there is money for what is approved. */
  approve(caller: Caller, id: OwnId, approval: Omit<ApprovedAmount, 'now'>): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund, now) => refund.approve({ ...approval, now }));
  }

  reject(caller: Caller, id: OwnId, rejection: Omit<ApprovalDecision, 'now'>): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund, now) => refund.reject({ ...rejection, now }));
  }

  expire(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund, now) => refund.expire(now));
  }

  cancel(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund, now) => refund.cancel(now));
  }

  succeed(caller: Caller, id: OwnId, providerReference: string | null = null): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund) => refund.succeed(providerReference));
  }

  fail(caller: Caller, id: OwnId, failure: Failure): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund) => refund.fail(failure));
  }

  return(caller: Caller, id: OwnId, reason: string | null): Promise<Decision<Refund>> {
    return this.decide(caller, id, (refund) => refund.return(reason));
  }

  /** In the open transaction. */
  found(caller: Caller, refund: Refund, made: MadeRefund): Promise<Decided<Refund>> {
    return this.store(caller, refund, refund.found(made));
  }

  private async decide(caller: Caller, id: OwnId, decide: (refund: Refund, now: number) => Refund) {
    const { now } = await this.clock.at(caller);
    const before = await this.refunds.get(caller, id);
    const after = decide(before, now);
    return after === before ? decided(before) : inTransaction(caller, () => this.store(caller, before, after));
  }

  /** A refund is changed before its payment is locked, and added after that, everywhere: so no two requests wait for each other. */
  private async store(caller: Caller, before: Refund, refund: Refund): Promise<Decided<Refund>> {
    if (refund === before) return decided(refund);
    const yielded = await this.yielding(caller, refund);
    const changes = [[before, refund] as const, ...yielded];
    for (const [from, to] of changes) await this.refunds.change(caller, from, to);
    const { amount, status } = refund.state;
    const paymentId = ownId(caller, refund.state.payment);
    const payment = await this.payments.lock(caller, paymentId);
    const timed = await this.clock.at(caller);
    if (status === 'succeeded') await this.refunds.requireOnly(caller, refund);
    const change = yielded.length > 0 ? 'free' : amountChange(before, refund);
    if (change === 'refund') payment.requirePayable(amount);
    return decided(
      refund,
      ...changes.map(([, to]) => this.events.record(timed, eventOf(to), to, payment.state.notifyUrl)),
      ...(change ? [this.amounts.change(caller, paymentId, change, amount)] : []),
    );
  }

  /** What was recorded of the same payout before the ledger knew whose it is. Its amount is counted already. */
  private async yielding(caller: Caller, refund: Refund) {
    const { status, providerReference } = refund.state;
    if (status !== 'succeeded' || providerReference === null) return [];
    const recorded = await this.refunds.byPayout(caller, refund.state);
    const yielded = recorded?.yieldTo(refund);
    return recorded && yielded && yielded !== recorded ? [[recorded, yielded] as const] : [];
  }
}

function amountChange({ state: before }: Refund, { state: after }: Refund): AmountChange | undefined {
  if (before.status === after.status) return undefined;
  if (before.status === 'succeeded') return 'take_back';
  return after.status === 'succeeded' ? 'refund' : 'free';
}

/** What happened to a refund that was changed: one that is still pending was approved. */
function eventOf({ state: { status } }: Refund): RefundEvent {
  return status === 'pending' ? 'refund.approved' : `refund.${status}`;
}
