import type { Mode } from '../../../shared/caller.js';
import { type ErrorCode, paramError, Refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';

export const REFUND_ID = idKind('re', { hasMode: true });

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
/** What waits for the ledger. */
export const PROPOSED: RefundStatus = 'pending';

/** What happens to a refund, each with its meaning. */
export const REFUND_EVENTS = {
  'refund.created': 'A refund was proposed.',
  'refund.succeeded': 'The ledger paid a refund out.',
  'refund.failed': 'The ledger refused a refund.',
  'refund.canceled': 'A refund was withdrawn before the ledger decided.',
} as const;
export type RefundEvent = keyof typeof REFUND_EVENTS;

export const REFUND_EXCEEDS_REMAINING: ErrorCode = {
  code: 'refund_exceeds_remaining',
  kind: 'too_much',
  meaning: 'More than is left to refund. `errors[0].allowed` has what is.',
};

export const PAYMENT_NOT_REFUNDABLE: ErrorCode = {
  code: 'payment_not_refundable',
  kind: 'state',
  meaning: 'Nothing is left to refund of the payment. Read it to see why.',
};

export const REFUND_NOT_PENDING: ErrorCode = {
  code: 'refund_not_pending',
  kind: 'state',
  meaning: 'The refund was decided or withdrawn before. Read it.',
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
}

/** What a proposal must know of the payment. */
export interface RefundablePayment {
  readonly id: string;
  readonly mode: Mode;
  readonly currency: string;
  /** What is left to refund. */
  readonly refundable: number;
}

export class Refund {
  private constructor(readonly state: RefundState) {}

  /** A proposal for the ledger to decide. Refuses more than is left. Throws RangeError for no amount at all. */
  static propose(payment: RefundablePayment, amount: number, now: number): Refund {
    if (!Number.isInteger(amount) || amount < 1) throw new RangeError('A refund has a whole amount of at least 1.');
    if (payment.refundable === 0) {
      const message = 'Nothing is left to refund of this payment.';
      throw new Refusal(PAYMENT_NOT_REFUNDABLE, message, [paramError('payment', 'invalid_value', message)], payment.id);
    }
    if (amount > payment.refundable) {
      const message = `Only ${payment.refundable} is left to refund of this payment.`;
      const error = paramError('amount', 'too_large', message, [payment.refundable]);
      throw new Refusal(REFUND_EXCEEDS_REMAINING, message, [error], payment.id);
    }
    const { mode, currency } = payment;
    const terms = { mode, amount, currency, payment: payment.id, failureReason: null };
    return new Refund({ ...terms, id: newId(REFUND_ID, now, mode), status: PROPOSED });
  }

  /** A refund as it was stored. */
  static restore(state: RefundState): Refund {
    return new Refund(state);
  }

  /** How many things have happened to it: it is proposed, and then closed once. */
  get version(): number {
    return this.state.status === PROPOSED ? 1 : 2;
  }

  /** Withdrawn by the caller before the ledger decided: the amount is free again. */
  cancel(): Refund {
    return this.close('canceled');
  }

  /** Paid out by the ledger. Telling it twice changes nothing. */
  succeed(): Refund {
    return this.state.status === 'succeeded' ? this : this.close('succeeded');
  }

  /** Refused by the ledger, which frees the amount. Telling it twice changes nothing, not even the reason. */
  fail(reason: string | null): Refund {
    return this.state.status === 'failed' ? this : this.close('failed', reason);
  }

  private close(status: RefundStatus, failureReason: string | null = null): Refund {
    if (this.state.status === PROPOSED) return new Refund({ ...this.state, status, failureReason });
    const message = `The refund is ${this.state.status}, not pending.`;
    throw new Refusal(REFUND_NOT_PENDING, message, [paramError('id', 'invalid_value', message)], this.state.id);
  }
}
