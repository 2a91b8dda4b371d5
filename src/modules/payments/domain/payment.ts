import type { Caller } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { errorCodes, paramError, refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';
import { currencyOf, MAX_AMOUNT } from '../../../shared/money.js';

export const PAYMENT_ID = idKind('pay', { hasMode: true });

export const PAYMENT_EVENTS = {
  'payment.created': 'A captured payment was recorded.',
  'payment.unmatched':
    'A captured payment was recorded that does not match its checkout session; `mismatch` says ' +
    'why.',
  'payment.held': 'An amount of a payment was put on hold.',
  'payment.released': 'A hold on a payment was released.',
} as const;
export type PaymentEvent = keyof typeof PAYMENT_EVENTS;

/** A payment does not pay its checkout session for one of these reasons. */
export const MISMATCHES = {
  session_expired: 'the session had expired',
  session_complete: 'the session was complete',
  amount: 'the session asks for another amount',
  currency: 'the session asks for another currency',
};
export type Mismatch = keyof typeof MISMATCHES;

/**
 * Each change takes an amount from one sum of the payment and adds it to another. A pending refund
 * reserves its amount; one that was made elsewhere did not. The change is `take_back` when the
 * money of a refund returned.
 */
export const AMOUNT_CHANGES = {
  reserve: { from: 'amount_refundable', to: 'amount_pending_refund' },
  free: { from: 'amount_pending_refund', to: 'amount_refundable' },
  refund: { from: 'amount_pending_refund', to: 'amount_refunded' },
  refund_unreserved: { from: 'amount_refundable', to: 'amount_refunded' },
  take_back: { from: 'amount_refunded', to: 'amount_refundable' },
  hold: { from: 'amount_refundable', to: 'amount_on_hold' },
  release: { from: 'amount_on_hold', to: 'amount_refundable' },
} as const;
export type AmountChange = keyof typeof AMOUNT_CHANGES;

/** All amounts are in the minor unit of the currency. */
export interface PaymentState extends Caller {
  readonly id: string;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly amountPendingRefund: number;
  readonly amountOnHold: number;
  readonly currency: string;
  readonly checkoutSession: string | null;
  /** This is null for a payment that matches its session or has no session. */
  readonly mismatch: Mismatch | null;
  readonly reference: string | null;
  /**
   * Webhooks about the payment and its refunds are sent to this URL, the notify_url of its session.
   */
  readonly notifyUrl: string | null;
  /** This is true if the session is redacted, and with it the texts about the payment. */
  readonly isRedacted: boolean;
  /** This counts the events about the payment so far. */
  readonly version: number;
}

export type NewPayment = Pick<
  PaymentState,
  'amount' | 'currency' | 'checkoutSession' | 'reference'
>;

export const PAYMENT_ERRORS = errorCodes('state', {
  payment_reference_reused: 'The reference was used for another payment. Read that payment.',
  payment_not_refundable:
    'Nothing of the payment is left. Read the payment to see how much is refunded, pending and ' +
    'on hold.',
});

export class Payment {
  private constructor(readonly state: PaymentState) {}

  /** Makes a new payment. Throws RangeError for an impossible amount or currency. */
  static record(input: NewPayment, { organization, mode }: Caller, now: number | Moment): Payment {
    const currency = currencyOf(input.currency);
    if (currency === undefined)
      throw new RangeError(`${input.currency} is not an ISO 4217 currency.`);
    if (!Number.isInteger(input.amount) || input.amount < 1 || input.amount > MAX_AMOUNT) {
      throw new RangeError(`An amount is a whole number from 1 to ${MAX_AMOUNT}.`);
    }
    const { amount, checkoutSession, reference } = input;
    const held = { amountRefunded: 0, amountPendingRefund: 0, amountOnHold: 0 };
    const terms = {
      amount,
      currency,
      checkoutSession,
      mismatch: null,
      notifyUrl: null,
      isRedacted: false,
      reference,
      version: 1,
    };
    return new Payment({ ...held, ...terms, id: newId(PAYMENT_ID, now, mode), organization, mode });
  }

  static restore(state: PaymentState): Payment {
    return new Payment(state);
  }

  get refundable(): number {
    const { amount, amountRefunded, amountPendingRefund, amountOnHold } = this.state;
    return amount - amountRefunded - amountPendingRefund - amountOnHold;
  }

  of(session: Pick<PaymentState, 'mismatch' | 'notifyUrl' | 'isRedacted'>): Payment {
    const { mismatch, notifyUrl, isRedacted } = session;
    return new Payment({ ...this.state, mismatch, notifyUrl, isRedacted });
  }

  /** Puts `amount` more of the payment on hold; a negative amount takes it off hold. */
  withHold(amount: number): Payment {
    const { amountOnHold, version } = this.state;
    return new Payment({
      ...this.state,
      amountOnHold: amountOnHold + amount,
      version: version + 1,
    });
  }

  /** Refuses if nothing is left, on `param`, the parameter that held the payment's ID. */
  requireRefundable(param: string, purpose = 'refund'): void {
    if (this.refundable > 0) return;
    const message = `Nothing is left to ${purpose} of this payment.`;
    throw refusal(
      PAYMENT_ERRORS.payment_not_refundable,
      paramError(param, 'invalid_value', message),
      this.state.id,
    );
  }

  /**
   * Refuses a payout beyond what was captured. That can happen only with wrong sums, which
   * `reconcile` names, because a pending refund has its amount reserved.
   */
  requirePayable(amount: number): void {
    const payable = this.refundable + this.state.amountPendingRefund;
    if (amount <= payable) return;
    const message =
      `Only ${payable} of this payment is neither refunded nor on hold. More was paid out than ` +
      'was captured.';
    throw refusal(
      PAYMENT_ERRORS.payment_not_refundable,
      paramError('id', 'invalid_value', message),
      this.state.id,
    );
  }

  /** Refuses another payment with the same reference, unless both describe the same capture. */
  requireSameCapture({ state }: Payment): void {
    const { id, amount, currency, checkoutSession } = this.state;
    if (
      amount === state.amount &&
      currency === state.currency &&
      checkoutSession === state.checkoutSession
    )
      return;
    const message = 'This reference belongs to another payment.';
    throw refusal(
      PAYMENT_ERRORS.payment_reference_reused,
      paramError('reference', 'invalid_value', message),
      id,
    );
  }
}
