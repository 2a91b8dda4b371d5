import type { Moment } from '../../../shared/clock.js';
import { paramError, refusal } from '../../../shared/errors.js';
import { newId } from '../../../shared/id.js';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovedAmount,
  decidedAs,
  hasExpired,
  isWaiting,
  type Proposer,
  proposedBy,
  UNKNOWN_PROPOSER,
} from './approval.js';
import {
  claimed,
  type Extension,
  extended,
  isClaimable,
  NEVER_CLAIMED,
  REFUND_IN_PROGRESS,
  released,
  requireClaim,
} from './claim.js';
import { type MadeRefund, requirePayoutOf } from './made-refund.js';
import {
  type Failure,
  type NewRefund,
  PENDING,
  REFUND_ID,
  type RefundablePayment,
  type RefundState,
  type RefundStatus,
} from './refund-state.js';
import {
  REFUND_EXCEEDS_REMAINING,
  REFUND_NOT_SUCCEEDED,
  REFUND_REFERENCE_REUSED,
  refused,
  requirePending,
} from './refusals.js';

export class Refund {
  private constructor(
    readonly state: RefundState,
    /** Number of events about the refund so far. */
    readonly version: number,
  ) {}

  /** A pending refund. Refuses more than the payment has left. Throws RangeError unless the amount is a positive integer. */
  static propose(payment: RefundablePayment, input: NewRefund, moment: Moment, proposer?: Proposer): Refund {
    const { amount, reference, description } = input;
    if (!Number.isInteger(amount) || amount < 1) throw new RangeError('A refund has a whole amount of at least 1.');
    if (amount > payment.refundable) {
      const message = `Only ${payment.refundable} is left to refund of this payment.`;
      const error = paramError('amount', 'too_large', message, [payment.refundable]);
      throw refusal(REFUND_EXCEEDS_REMAINING, error, payment.id);
    }
    const { organization, mode, currency } = payment;
    const terms = { organization, mode, payment: payment.id, amount, currency, reference, description };
    const open = { status: PENDING, providerReference: null, failureReason: null, isMadeElsewhere: false };
    const approval = proposer ? proposedBy(proposer, moment.now) : UNKNOWN_PROPOSER;
    const id = newId(REFUND_ID, moment, mode);
    return new Refund({ id, ...terms, ...open, ...NEVER_CLAIMED, ...approval }, 1);
  }

  /** A refund that was made elsewhere: it succeeded before Tillgate knew it. Refuses more than the payment has left. */
  static record(payment: RefundablePayment, { providerReference, ...made }: MadeRefund, moment: Moment): Refund {
    const { state } = Refund.propose(payment, made, moment);
    return Refund.restore({ ...state, status: 'succeeded', providerReference, isMadeElsewhere: true });
  }

  static restore(state: RefundState): Refund {
    return new Refund(state, (state.status === PENDING ? 1 : 2) + (state.approval === 'approved' ? 1 : 0));
  }

  /** Its approval, as it is shown. One that ended before anybody decided is stored as `waiting`, but nobody has to approve it. */
  get approval(): Approval {
    const { status, approval } = this.state;
    return status !== PENDING && approval === 'waiting' ? 'not_needed' : approval;
  }

  /** The refund as it reads at `now`: its approval has expired when its time is over, before that is stored. */
  asOf(now: number): Refund {
    return isWaiting(this.state) && hasExpired(this.state, now) ? this.with({ approval: 'expired' }) : this;
  }

  /** The refund, approved by another person than the one who proposed it. An approved refund stays as it is. */
  approve({ amount, ...decision }: ApprovedAmount): Refund {
    const approved = decidedAs('approved', this.asOf(decision.now).state, decision, amount);
    return approved ? new Refund({ ...this.state, ...approved }, this.version + 1) : this;
  }

  /** The refund, canceled because its approval was refused. A rejected refund stays as it is. */
  reject(decision: ApprovalDecision): Refund {
    const rejected = decidedAs('rejected', this.asOf(decision.now).state, decision);
    return rejected ? this.close('canceled', rejected) : this;
  }

  /** The refund, canceled if nobody has decided in time. Any other stays as it is. */
  expire(now: number): Refund {
    const expired = this.asOf(now);
    return expired === this ? this : expired.close('canceled');
  }

  /** The refund, canceled by the merchant. Refuses a claimed refund, which the ledger may be paying out. */
  cancel(now: number): Refund {
    requirePending(this.state);
    if (this.state.claimExpiresAt === null) return this.asOf(now).close('canceled');
    throw refused(REFUND_IN_PROGRESS, this.state, 'The refund is being paid out.');
  }

  /** The refund, paid out by the ledger. Takes no claim: a payout that happened must be recorded. A succeeded refund stays as it is. */
  succeed(providerReference: string | null): Refund {
    return this.state.status === 'succeeded' ? this : this.close('succeeded', { providerReference });
  }

  /** The refund, refused by the ledger. A claimed refund needs the number of its claim. A failed refund stays as it is. */
  fail({ reason, claim, providerReference }: Failure): Refund {
    if (this.state.status === 'failed') return this;
    requirePending(this.state);
    if (claim !== null || this.state.claimExpiresAt !== null) this.requireClaim(claim);
    return this.close('failed', { failureReason: reason, providerReference });
  }

  /** A succeeded refund whose money came back: it is failed. A failed refund stays as it is, with its reason. */
  return(reason: string | null): Refund {
    const { status } = this.state;
    if (status === 'failed') return this;
    if (status === 'succeeded') {
      return new Refund({ ...this.state, status: 'failed', failureReason: reason }, this.version + 1);
    }
    throw refused(REFUND_NOT_SUCCEEDED, this.state, `The refund is ${status}, not succeeded.`);
  }

  /** The refund, claimed for `leaseSeconds` from now. Throws RangeError unless it is claimable. */
  claim(now: number, leaseSeconds: number): Refund {
    const isFree = this.state.status === PENDING && !isWaiting(this.state) && isClaimable(this.state, now);
    if (!isFree) throw new RangeError('Only a pending refund that waits for nobody can be claimed.');
    return this.with(claimed(this.state, now, leaseSeconds));
  }

  /** The refund with a longer lease. A provider that has the refund may give its own ID of it. */
  extend({ claim, leaseSeconds, providerReference }: Extension, now: number): Refund {
    this.requireClaim(claim);
    const known = providerReference ?? this.state.providerReference;
    return this.with({ ...extended(this.state, now, leaseSeconds), providerReference: known });
  }

  /** The pending refund without its claim. A refund whose last claim was already released stays as it is. */
  release(claim: number, delaySeconds: number, now: number): Refund {
    const { claimNumber, claimExpiresAt } = this.state;
    requirePending(this.state);
    if (claimExpiresAt === null && claim === claimNumber) return this;
    this.requireClaim(claim);
    return this.with(released(this.state, now, delaySeconds));
  }

  /** The refund, whose payout was found elsewhere: a pending one succeeds, any other stays as it is. Refuses the payout of another refund. */
  found(made: MadeRefund): Refund {
    requirePayoutOf(this.state, made);
    return this.state.status === PENDING ? this.succeed(made.providerReference) : this;
  }

  /** A refund that was made elsewhere fails if its payout is that of `other`: no money is counted twice. Any other stays as it is. */
  yieldTo({ state: other }: Refund): Refund {
    const { status, payment, amount, isMadeElsewhere } = this.state;
    const isSame = status === 'succeeded' && payment === other.payment && amount === other.amount;
    return isMadeElsewhere && isSame ? this.return(`It is the payout of ${other.id}.`) : this;
  }

  /** Refuses another proposal with the same reference, unless both are of the same amount of the same payment. */
  requireSameProposal({ payment, amount }: NewRefund): void {
    if (payment === this.state.payment && amount === this.state.amount) return;
    throw refused(REFUND_REFERENCE_REUSED, this.state, 'This reference belongs to another refund.', 'reference');
  }

  /** Refuses unless the refund is pending and `claim` is the number of its claim. The lease may have ended. */
  requireClaim(claim: number | null): void {
    requirePending(this.state);
    requireClaim(this.state, claim, this.state.id);
  }

  private close(status: RefundStatus, outcome: Partial<RefundState> = {}): Refund {
    requirePending(this.state);
    const providerReference = outcome.providerReference ?? this.state.providerReference;
    const state = { ...this.state, ...outcome, providerReference, status, claimExpiresAt: null };
    return new Refund(state, this.version + 1);
  }

  private with(changed: Partial<RefundState>): Refund {
    return new Refund({ ...this.state, ...changed }, this.version);
  }
}
