import type { Mode } from '../../../shared/caller.js';
import { paramError, Refusal } from '../../../shared/errors.js';
import { newId } from '../../../shared/id.js';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
/** What waits for the ledger. */
export const PROPOSED: RefundStatus = 'pending';

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
      throw new Refusal(
        'payment_not_refundable',
        message,
        [paramError('payment', 'invalid_value', message)],
        payment.id,
      );
    }
    if (amount > payment.refundable) {
      const message = `Only ${payment.refundable} is left to refund of this payment.`;
      const error = paramError('amount', 'too_large', message, [payment.refundable]);
      throw new Refusal('refund_exceeds_remaining', message, [error], payment.id);
    }
    const { mode, currency } = payment;
    const terms = { mode, amount, currency, payment: payment.id, failureReason: null };
    return new Refund({ ...terms, id: newId('re', now, mode), status: PROPOSED });
  }

  /** A refund as it was stored. */
  static restore(state: RefundState): Refund {
    return new Refund(state);
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
    throw new Refusal('refund_not_pending', message, [paramError('id', 'invalid_value', message)], this.state.id);
  }
}
