import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decided, type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { Organizations } from '../../access/index.js';
import { type AmountChange, Payments } from '../../payments/index.js';
import { Refund } from '../domain/refund.js';
import type { MadeRefund, NewRefund, Proposer, RefundEvent } from '../domain/refund-state.js';
import { RefundEvents, Refunds } from './ports.js';

export interface ProposedRefund {
  readonly refund: Refund;
  /** False if the same refund is already known. */
  readonly isNew: boolean;
}

/** Proposals, and what becomes of them. The payment is locked before its refunds are changed, everywhere: so no two requests wait for each other. */
@Injectable()
export class ChangeRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
    private readonly organizations: Organizations,
    private readonly clock: CallerClock,
  ) {}

  /** Safe to repeat with the same reference. Refuses with not_found, refund_exceeds_remaining, payment_not_refundable or refund_reference_reused. */
  async propose(caller: Caller, input: NewRefund, proposer: Proposer): Promise<Decided<ProposedRefund>> {
    const earlier = await this.earlier(caller, input);
    if (earlier) return earlier;
    try {
      return await this.proposed(caller, input, proposer);
    } catch (error) {
      // Another request may have proposed the same refund meanwhile, which took what was left of the payment.
      const winner = await this.earlier(caller, input);
      if (!winner) throw error;
      return winner;
    }
  }

  /** Makes a transition of a refund, by the clock of its organization. Refuses with not_found, and as the transition does. */
  async execute(
    caller: Caller,
    id: OwnId,
    transition: (refund: Refund, now: number) => Refund,
  ): Promise<Decision<Refund>> {
    const { now } = await this.clock.at(caller);
    const before = await this.refunds.get(caller, id);
    const after = transition(before, now);
    if (after === before) return decided(before);
    return inTransaction(caller, () => this.store(caller, before, after));
  }

  /** Records a payout that was found elsewhere, of a known refund or none. Safe to repeat with the same provider reference. Refuses with not_found, refund_exceeds_remaining or refund_reference_reused. */
  async record(caller: Caller, made: MadeRefund): Promise<Decision<ProposedRefund>> {
    if (!(await this.organizations.exists(caller.organization))) throw notFound('organization');
    const id = ownId(caller, made.payment, 'payment');
    return inTransaction<ProposedRefund>(caller, async () => {
      const { state, refundable } = await this.payments.lock(caller, id, 'payment');
      const paid = await this.refunds.byPayout(caller, made);
      const known =
        paid ?? (made.reference === null ? undefined : await this.refunds.byReference(caller, made.reference));
      if (known) {
        const { result, writes } = await this.store(caller, known, known.found(made));
        return decided({ refund: result, isNew: false }, ...writes);
      }
      const timed = await this.clock.at(caller);
      const refund = Refund.record({ ...state, refundable }, made, timed);
      return decided(
        { refund, isNew: true },
        this.refunds.add(caller, refund),
        this.events.record(timed, 'refund.created', refund, state.notifyUrl),
        this.events.record(timed, 'refund.succeeded', refund, state.notifyUrl),
        this.payments.changeAmount(caller, id, 'refund_unreserved', refund.state.amount),
      );
    });
  }

  private async proposed(caller: Caller, input: NewRefund, proposer: Proposer): Promise<Decided<ProposedRefund>> {
    const id = ownId(caller, input.payment, 'payment');
    const payment = await this.payments.get(caller, id, 'payment');
    payment.requireRefundable('payment');
    const { state, refundable } = payment;
    const timed = await this.clock.at(caller);
    const refund = Refund.propose({ ...state, refundable }, input, timed, proposer);
    return decided(
      { refund, isNew: true },
      this.refunds.add(caller, refund),
      this.events.record(timed, 'refund.created', refund, state.notifyUrl),
      // Last, because this write locks the payment until the commit, and other refunds of the payment wait.
      this.payments.changeAmount(caller, id, 'reserve', refund.state.amount),
    );
  }

  private async earlier(caller: Caller, input: NewRefund): Promise<Decided<ProposedRefund> | undefined> {
    const { reference } = input;
    const refund = reference === null ? undefined : await this.refunds.byReference(caller, reference);
    refund?.requireSameProposal(input);
    return refund && decided({ refund, isNew: false });
  }

  private async store(caller: Caller, before: Refund, refund: Refund): Promise<Decided<Refund>> {
    if (refund === before) return decided(refund);
    const { amount } = refund.state;
    const paymentId = ownId(caller, refund.state.payment);
    const payment = await this.payments.lock(caller, paymentId);
    const yielded = await this.yielding(caller, refund);
    const changes = [[before, refund] as const, ...yielded];
    for (const [from, to] of changes) await this.refunds.change(caller, from, to);
    const timed = await this.clock.at(caller);
    const change = yielded.length > 0 ? 'free' : amountChange(before, refund);
    if (change === 'refund') payment.requirePayable(amount);
    return decided(
      refund,
      ...changes.map(([, to]) => this.events.record(timed, eventOf(to), to, payment.state.notifyUrl)),
      ...(change ? [this.payments.changeAmount(caller, paymentId, change, amount)] : []),
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
