import type { Mode } from '../../../shared/caller.js';
import { type ErrorCode, paramError, Refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';
import { currencyOf, MAX_AMOUNT } from '../../../shared/money.js';

export const PAYMENT_ID = idKind('pay', { hasMode: true });

/** All amounts are in the minor unit of the currency. */
export interface PaymentState {
  readonly id: string;
  readonly mode: Mode;
  /** What was captured. */
  readonly amount: number;
  /** Held by refunds that succeeded, and by those still pending. */
  readonly amountRefunded: number;
  readonly amountPendingRefund: number;
  readonly currency: string;
  readonly checkoutSession: string | null;
  /** The ledger's own id. */
  readonly reference: string | null;
}

export type NewPayment = Pick<PaymentState, 'amount' | 'currency' | 'checkoutSession' | 'reference'>;

export const PAYMENT_REFERENCE_REUSED: ErrorCode = {
  code: 'payment_reference_reused',
  kind: 'state',
  meaning: 'This reference already stands for another capture. Read that payment.',
};

export class Payment {
  private constructor(readonly state: PaymentState) {}

  /** Throws RangeError for what no ledger can have captured. */
  static record(input: NewPayment, mode: Mode, now: number): Payment {
    const currency = currencyOf(input.currency);
    if (currency === undefined) throw new RangeError(`${input.currency} is not an ISO 4217 currency.`);
    if (!Number.isInteger(input.amount) || input.amount < 1 || input.amount > MAX_AMOUNT) {
      throw new RangeError(`An amount is a whole number from 1 to ${MAX_AMOUNT}.`);
    }
    const { amount, checkoutSession, reference } = input;
    const state = { amount, currency, checkoutSession, reference, amountRefunded: 0, amountPendingRefund: 0 };
    return new Payment({ ...state, id: newId(PAYMENT_ID, now, mode), mode });
  }

  /** A payment as it was stored. */
  static restore(state: PaymentState): Payment {
    return new Payment(state);
  }

  /** What is left to refund. */
  get refundable(): number {
    return this.state.amount - this.state.amountRefunded - this.state.amountPendingRefund;
  }

  /** Refuses another payment under the reference of this one, unless both are of the same capture. */
  requireSameCapture({ state }: Payment): void {
    const { id, amount, currency, checkoutSession } = this.state;
    if (amount === state.amount && currency === state.currency && checkoutSession === state.checkoutSession) return;
    const message = 'This reference stands for another payment.';
    throw new Refusal(PAYMENT_REFERENCE_REUSED, message, [paramError('reference', 'invalid_value', message)], id);
  }
}
