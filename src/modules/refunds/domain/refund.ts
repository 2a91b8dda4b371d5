import type { Moment } from '../../../shared/clock.js';
import { newId } from '../../../shared/id.js';
import { isSamePerson } from '../../../shared/nickname.js';
import {
  type ApprovalDecision,
  type Extension,
  type Failure,
  isWaiting,
  lease,
  type MadeRefund,
  NEW,
  type NewRefund,
  PENDING,
  type Proposer,
  proposedBy,
  REFUND_ID,
  type RefundablePayment,
  type RefundState,
  type RefundStatus,
} from './refund-state.js';
import * as refuse from './refusals.js';

/**
 * This entity is a refund with its transitions. A transition that has happened already leaves the
 * refund as it is.
 */
export class Refund {
  private constructor(
    readonly state: RefundState,
    /** This counts the events about the refund so far. */
    readonly version: number,
  ) {}

  /**
   * Makes a pending refund. Refuses more than the payment has left. Throws RangeError unless the
   * amount is a positive integer.
   */
  static propose(
    payment: RefundablePayment,
    input: NewRefund,
    moment: Moment,
    proposer?: Proposer,
  ): Refund {
    const { amount, reference, description } = input;
    if (!Number.isInteger(amount) || amount < 1)
      throw new RangeError('A refund has a whole amount of at least 1.');
    if (amount > payment.refundable) throw refuse.exceedsRemaining(payment);
    const { organization, mode, currency } = payment;
    const terms = {
      organization,
      mode,
      payment: payment.id,
      amount,
      currency,
      reference,
      description,
    };
    const id = newId(REFUND_ID, moment, mode);
    return new Refund(
      { id, ...terms, ...NEW, ...(proposer && proposedBy(proposer, moment.now)) },
      1,
    );
  }

  /**
   * Makes a refund that was made elsewhere: it succeeded before Tillgate knew it. Refuses more than
   * the payment has left.
   */
  static record(
    payment: RefundablePayment,
    { providerReference, ...made }: MadeRefund,
    moment: Moment,
  ): Refund {
    const { state } = Refund.propose(payment, made, moment);
    return Refund.restore({
      ...state,
      status: 'succeeded',
      providerReference,
      isMadeElsewhere: true,
    });
  }

  static restore(state: RefundState): Refund {
    return new Refund(
      state,
      (state.status === PENDING ? 1 : 2) + (state.approval === 'approved' ? 1 : 0),
    );
  }

  /**
   * Returns the refund as callers read it at `now`: its approval has expired when its time is over,
   * even before the sweeper has stored that.
   */
  asOf(now: number): Refund {
    const isLate = isWaiting(this.state) && (this.state.approvalExpiresAt ?? now) <= now;
    return isLate ? this.with({ approval: 'expired' }) : this;
  }

  /**
   * Approves the refund. Refuses the person who proposed it. `amount` is the amount that the
   * approver saw, and must be the refund's own.
   */
  approve(amount: number, decision: ApprovalDecision): Refund {
    return this.decide({ approval: 'approved' }, decision, amount);
  }

  reject(decision: ApprovalDecision): Refund {
    return this.decide({ approval: 'rejected', status: 'canceled' }, decision);
  }

  /** This is true if anybody wrote a text about the refund. */
  get hasDetails(): boolean {
    const { description, failureReason, comment } = this.state;
    return (description ?? failureReason ?? comment) !== null;
  }

  /** Cancels the refund if nobody has decided in time. Any other refund stays as it is. */
  expire(now: number): Refund {
    const expired = this.asOf(now);
    return expired === this ? this : expired.close('canceled');
  }

  /**
   * Cancels the refund for the merchant. Refuses a claimed refund, which the ledger may be paying
   * out.
   */
  cancel(now: number): Refund {
    this.requirePending();
    if (this.state.claimExpiresAt === null) return this.asOf(now).close('canceled');
    throw refuse.inProgress(this.state);
  }

  /**
   * Records that the ledger paid the refund out. It needs no claim, because a payout that happened
   * must be recorded.
   */
  succeed(providerReference: string | null): Refund {
    return this.state.status === 'succeeded'
      ? this
      : this.close('succeeded', { providerReference });
  }

  /** Records that the ledger refused the refund. A claimed refund needs the number of its claim. */
  fail({ reason, claim, providerReference }: Failure): Refund {
    if (this.state.status === 'failed') return this;
    this.requirePending();
    if (claim !== null || this.state.claimExpiresAt !== null) this.requireClaim(claim);
    return this.close('failed', { failureReason: reason, providerReference });
  }

  /**
   * Records that the money of a succeeded refund came back: it is failed. A failed refund keeps its
   * reason.
   */
  return(reason: string | null): Refund {
    const { status } = this.state;
    if (status === 'failed') return this;
    if (status === 'succeeded') return this.next({ status: 'failed', failureReason: reason });
    throw refuse.notSucceeded(this.state);
  }

  /** Claims the refund for `leaseSeconds` from now. Throws RangeError unless it is claimable. */
  claim(now: number, leaseSeconds: number): Refund {
    const { status, claimNumber, claimExpiresAt, claimableAt } = this.state;
    const isFree =
      status === PENDING &&
      !isWaiting(this.state) &&
      claimableAt <= now &&
      (claimExpiresAt ?? now) <= now;
    if (!isFree)
      throw new RangeError('Only a pending refund that waits for nobody can be claimed.');
    // A released claim has not lapsed, so the count of lapses in a row begins anew.
    const lapses = claimExpiresAt === null ? 0 : this.state.lapses + 1;
    return this.with({ claimNumber: claimNumber + 1, lapses, ...lease(now, leaseSeconds, lapses) });
  }

  /**
   * Extends the lease, and never shortens it. A provider that has the refund may give its own ID of
   * the refund.
   */
  extend({ claim, leaseSeconds, providerReference }: Extension, now: number): Refund {
    this.requireClaim(claim);
    const longer = lease(now, leaseSeconds, this.state.lapses);
    const isLonger = longer.claimExpiresAt > (this.state.claimExpiresAt ?? 0);
    const known = { providerReference: providerReference ?? this.state.providerReference };
    return this.with(isLonger ? { ...known, ...longer } : known);
  }

  release(claim: number, delaySeconds: number, now: number): Refund {
    const { claimNumber, claimExpiresAt } = this.state;
    this.requirePending();
    if (claimExpiresAt === null && claim === claimNumber) return this;
    this.requireClaim(claim);
    return this.with({ claimExpiresAt: null, lapses: 0, claimableAt: now + delaySeconds * 1000 });
  }

  /**
   * Records that the payout was found elsewhere: a pending refund succeeds. Refuses a refund that
   * cannot have a payout: a canceled one, or a failed one that the provider did not know.
   */
  found(made: MadeRefund): Refund {
    const { status, payment, amount, reference, providerReference } = this.state;
    const isPaidAs = status !== 'canceled' && providerReference === made.providerReference;
    const mayBePaid =
      providerReference === null && (status === 'pending' || status === 'succeeded');
    const isSame =
      payment === made.payment &&
      amount === made.amount &&
      (made.reference ?? reference) === reference;
    if (!isSame || !(isPaidAs || mayBePaid))
      throw refuse.referenceReused(this.state, isPaidAs ? 'provider_reference' : 'reference');
    return status === PENDING ? this.succeed(made.providerReference) : this;
  }

  /**
   * Fails a refund that was made elsewhere if its payout is that of `other`, so that no money is
   * counted twice. Any other refund stays as it is.
   */
  yieldTo({ state: other }: Refund): Refund {
    const { status, payment, amount, isMadeElsewhere } = this.state;
    const isSame = status === 'succeeded' && payment === other.payment && amount === other.amount;
    return isMadeElsewhere && isSame ? this.return(`It is the payout of ${other.id}.`) : this;
  }

  /**
   * Refuses another proposal with the same reference, unless both are of the same amount of the
   * same payment.
   */
  requireSameProposal({ payment, amount }: NewRefund): void {
    if (payment !== this.state.payment || amount !== this.state.amount)
      throw refuse.referenceReused(this.state, 'reference');
  }

  /**
   * Refuses unless the refund is pending and `claim` is the number of its claim. The lease may have
   * ended.
   */
  requireClaim(claim: number | null): void {
    this.requirePending();
    const { claimNumber, claimExpiresAt } = this.state;
    if (claimExpiresAt === null || claim !== claimNumber)
      throw refuse.otherClaim(this.state, claim);
  }

  private decide(
    outcome: Partial<RefundState>,
    { by, comment, now }: ApprovalDecision,
    seen = this.state.amount,
  ): Refund {
    const { state } = this.asOf(now);
    const { approval, amount } = state;
    if (approval === 'not_needed') throw refuse.notPending(state, 'The refund needs no approval.');
    const { proposedBy: proposer } = state;
    if (proposer && isSamePerson(proposer.holder, by.holder))
      throw refuse.secondPersonRequired(state, by);
    if (seen !== amount) throw refuse.amountMismatch(state);
    if (approval === outcome.approval) return this;
    this.requirePending();
    if (!isWaiting(state)) throw refuse.notPending(state, `The approval was ${approval}.`);
    return this.next({ ...outcome, decidedBy: by, decidedAt: now, comment });
  }

  private close(status: RefundStatus, outcome: Partial<RefundState> = {}): Refund {
    this.requirePending();
    const providerReference = outcome.providerReference ?? this.state.providerReference;
    return this.next({ ...outcome, providerReference, status, claimExpiresAt: null });
  }

  private requirePending(): void {
    if (this.state.status !== PENDING) throw refuse.notPending(this.state);
  }

  private next(changed: Partial<RefundState>): Refund {
    return new Refund({ ...this.state, ...changed }, this.version + 1);
  }

  private with(changed: Partial<RefundState>): Refund {
    return new Refund({ ...this.state, ...changed }, this.version);
  }
}
