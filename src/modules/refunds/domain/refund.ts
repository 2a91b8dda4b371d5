import type { Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { type ErrorCode, paramError, Refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';

export const REFUND_ID = idKind('re', { hasMode: true });

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
export const PENDING: RefundStatus = 'pending';

export const REFUND_EVENTS = {
  'refund.created': 'A refund was proposed.',
  'refund.succeeded': 'The ledger paid a refund out.',
  'refund.failed': 'The ledger refused a refund, or the money of a succeeded refund came back.',
  'refund.canceled': 'The merchant canceled a pending refund.',
} as const;
export type RefundEvent = keyof typeof REFUND_EVENTS;

export const REFUND_EXCEEDS_REMAINING: ErrorCode = {
  code: 'refund_exceeds_remaining',
  kind: 'too_much',
  meaning: 'The amount is more than can be refunded. `errors[0].allowed` is the largest possible amount.',
};

export const REFUND_NOT_PENDING: ErrorCode = {
  code: 'refund_not_pending',
  kind: 'state',
  meaning: 'The refund is no longer pending. Read it.',
};

export const REFUND_IN_PROGRESS: ErrorCode = {
  code: 'refund_in_progress',
  kind: 'state',
  meaning:
    'The ledger has claimed the refund to pay it out. It can be canceled only if the ledger releases the claim. Read it.',
};

export const REFUND_CLAIMED: ErrorCode = {
  code: 'refund_claimed',
  kind: 'state',
  meaning: '`claim` is not the number of the current claim. Read the refund: another worker may have claimed it.',
};

export const REFUND_NOT_SUCCEEDED: ErrorCode = {
  code: 'refund_not_succeeded',
  kind: 'state',
  meaning: 'Only a succeeded refund can be returned. Read it.',
};

/** The amount is in the minor unit of the currency, which is the payment's. */
export interface RefundState {
  readonly id: string;
  readonly mode: Mode;
  readonly amount: number;
  readonly currency: string;
  readonly status: RefundStatus;
  readonly payment: string;
  /** The reason that the ledger gave for the failure, if any. */
  readonly failureReason: string | null;
  /** Number of the last claim, and its fencing token. 0 if the refund was never claimed. */
  readonly claimNumber: number;
  /** End of the claim's lease, in milliseconds; null if the refund is not claimed. */
  readonly claimExpiresAt: number | null;
}

export interface RefundablePayment {
  readonly id: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly refundable: number;
}

export class Refund {
  private constructor(
    readonly state: RefundState,
    /** Number of events about the refund so far. */
    readonly version: number,
  ) {}

  /** A pending refund. Refuses more than the payment has left. Throws RangeError unless the amount is a positive integer. */
  static propose(payment: RefundablePayment, amount: number, now: number | Moment): Refund {
    if (!Number.isInteger(amount) || amount < 1) throw new RangeError('A refund has a whole amount of at least 1.');
    if (amount > payment.refundable) {
      const message = `Only ${payment.refundable} is left to refund of this payment.`;
      const error = paramError('amount', 'too_large', message, [payment.refundable]);
      throw new Refusal(REFUND_EXCEEDS_REMAINING, message, [error], payment.id);
    }
    const { mode, currency } = payment;
    const unclaimed = { failureReason: null, claimNumber: 0, claimExpiresAt: null };
    const id = newId(REFUND_ID, now, mode);
    return new Refund({ id, mode, amount, currency, payment: payment.id, status: PENDING, ...unclaimed }, 1);
  }

  static restore(state: RefundState): Refund {
    return new Refund(state, state.status === PENDING ? 1 : 2);
  }

  /** The refund, canceled by the merchant. Refuses a claimed refund, which the ledger may be paying out. */
  cancel(): Refund {
    this.requirePending();
    if (this.state.claimExpiresAt === null) return this.close('canceled');
    const message = 'The refund is being paid out.';
    throw new Refusal(REFUND_IN_PROGRESS, message, [paramError('id', 'invalid_value', message)], this.state.id);
  }

  /** The refund, paid out by the ledger. Takes no claim: a payout that happened must be recorded. A succeeded refund stays as it is. */
  succeed(): Refund {
    return this.state.status === 'succeeded' ? this : this.close('succeeded');
  }

  /** The refund, refused by the ledger. A claimed refund needs the number of its claim. A failed refund stays as it is. */
  fail(reason: string | null, claim: number | null): Refund {
    if (this.state.status === 'failed') return this;
    this.requirePending();
    if (claim !== null || this.state.claimExpiresAt !== null) this.requireClaim(claim);
    return this.close('failed', reason);
  }

  /** A succeeded refund whose money came back: it is failed. A failed refund stays as it is, with its reason. */
  return(reason: string | null): Refund {
    const { status, id } = this.state;
    if (status === 'failed') return this;
    if (status === 'succeeded') {
      return new Refund({ ...this.state, status: 'failed', failureReason: reason }, this.version + 1);
    }
    const message = `The refund is ${status}, not succeeded.`;
    throw new Refusal(REFUND_NOT_SUCCEEDED, message, [paramError('id', 'invalid_value', message)], id);
  }

  /** The pending refund without its claim. A refund whose last claim was already released stays as it is. */
  release(claim: number): Refund {
    const { claimNumber, claimExpiresAt } = this.state;
    this.requirePending();
    if (claimExpiresAt === null && claim === claimNumber) return this;
    this.requireClaim(claim);
    return new Refund({ ...this.state, claimExpiresAt: null }, this.version);
  }

  /** Refuses unless the refund is pending and `claim` is the number of its claim. The lease may have ended. */
  requireClaim(claim: number | null): void {
    this.requirePending();
    const { id, claimNumber, claimExpiresAt } = this.state;
    if (claimExpiresAt !== null && claim === claimNumber) return;
    const code = claim === null ? 'required' : 'invalid_value';
    const missing = 'The refund is claimed: send the number of its claim as claim.';
    const other = claim === null ? missing : 'The refund has another claim.';
    const message = claimExpiresAt === null ? 'The refund is not claimed.' : other;
    throw new Refusal(REFUND_CLAIMED, message, [paramError('claim', code, message)], id);
  }

  private close(status: RefundStatus, failureReason: string | null = null): Refund {
    this.requirePending();
    return new Refund({ ...this.state, status, failureReason, claimExpiresAt: null }, this.version + 1);
  }

  private requirePending(): void {
    if (this.state.status === PENDING) return;
    const message = `The refund is ${this.state.status}, not pending.`;
    throw new Refusal(REFUND_NOT_PENDING, message, [paramError('id', 'invalid_value', message)], this.state.id);
  }
}
