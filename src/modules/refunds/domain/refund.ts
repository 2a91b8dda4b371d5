import type { Mode } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { type ErrorCode, paramError, Refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';

export const REFUND_ID = idKind('re', { hasMode: true });

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
export const PROPOSED: RefundStatus = 'pending';

export const REFUND_EVENTS = {
  'refund.created': 'A refund was proposed.',
  'refund.succeeded': 'The ledger paid a refund out.',
  'refund.failed': 'The ledger refused a refund, or what it had paid out came back.',
  'refund.canceled': 'A refund was withdrawn before the ledger decided.',
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
  /** Why the ledger failed it, if it said so. */
  readonly failureReason: string | null;
  /** How often it was claimed: the number of its last claim, which is its fencing token. */
  readonly claimNumber: number;
  /** When the lease of its claim ends, in milliseconds; null when nobody works on it. */
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
    /** How many things have happened to it that an event tells of. */
    readonly version: number,
  ) {}

  /** A proposal for the ledger to decide. Refuses more than is left. Throws RangeError for no amount at all. */
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
    return new Refund({ id, mode, amount, currency, payment: payment.id, status: PROPOSED, ...unclaimed }, 1);
  }

  static restore(state: RefundState): Refund {
    return new Refund(state, state.status === PROPOSED ? 1 : 2);
  }

  /** Withdrawn by the caller before the ledger worked on it: the amount is free again. */
  cancel(): Refund {
    this.requirePending();
    if (this.state.claimExpiresAt === null) return this.close('canceled');
    const message = 'The refund is being paid out.';
    throw new Refusal(REFUND_IN_PROGRESS, message, [paramError('id', 'invalid_value', message)], this.state.id);
  }

  /** Paid out by the ledger, whoever's claim it was under: money that left is a fact. Telling it twice changes nothing. */
  succeed(): Refund {
    return this.state.status === 'succeeded' ? this : this.close('succeeded');
  }

  /** Refused by the ledger, which frees the amount; under a claim only by its holder. Repeating it changes nothing. */
  fail(reason: string | null, claim: number | null): Refund {
    if (this.state.status === 'failed') return this;
    this.requirePending();
    if (claim !== null || this.state.claimExpiresAt !== null) this.requireClaim(claim);
    return this.close('failed', reason);
  }

  /** Paid out, and come back: the amount is free again. Telling it twice changes nothing, not even the reason. */
  return(reason: string | null): Refund {
    const { status, id } = this.state;
    if (status === 'failed') return this;
    if (status === 'succeeded') {
      return new Refund({ ...this.state, status: 'failed', failureReason: reason }, this.version + 1);
    }
    const message = `The refund is ${status}, not succeeded.`;
    throw new Refusal(REFUND_NOT_SUCCEEDED, message, [paramError('id', 'invalid_value', message)], id);
  }

  /** Given back by who claimed it: nothing was paid out. Doing it twice changes nothing. */
  release(claim: number): Refund {
    const { claimNumber, claimExpiresAt } = this.state;
    this.requirePending();
    if (claimExpiresAt === null && claim === claimNumber) return this;
    this.requireClaim(claim);
    return new Refund({ ...this.state, claimExpiresAt: null }, this.version);
  }

  /** Refuses all but the number of the claim that the pending refund is under, whether or not its lease is over. */
  requireClaim(claim: number | null): void {
    this.requirePending();
    const { id, claimNumber, claimExpiresAt } = this.state;
    if (claimExpiresAt !== null && claim === claimNumber) return;
    const code = claim === null ? 'required' : 'invalid_value';
    const missing = 'The refund is under a claim: send its number as claim.';
    const other = claim === null ? missing : 'The refund is under another claim.';
    const message = claimExpiresAt === null ? 'The refund is under no claim.' : other;
    throw new Refusal(REFUND_CLAIMED, message, [paramError('claim', code, message)], id);
  }

  private close(status: RefundStatus, failureReason: string | null = null): Refund {
    this.requirePending();
    return new Refund({ ...this.state, status, failureReason, claimExpiresAt: null }, this.version + 1);
  }

  private requirePending(): void {
    if (this.state.status === PROPOSED) return;
    const message = `The refund is ${this.state.status}, not pending.`;
    throw new Refusal(REFUND_NOT_PENDING, message, [paramError('id', 'invalid_value', message)], this.state.id);
  }
}
