import type { Mode } from '../../../shared/caller.js';
import { type ErrorCode, paramError, Refusal } from '../../../shared/errors.js';
import { createdAt, idKind, newId } from '../../../shared/id.js';
import { CURRENCIES, currencyOf, MAX_AMOUNT } from '../../../shared/money.js';
import { AmountFaults } from './amounts.js';
import { type LineItem, type NewLineItem, priceLine } from './line-item.js';

export const CHECKOUT_SESSION_ID = idKind('cs', { hasMode: true });

export const UI_MODES = ['hosted', 'embedded'] as const;
export type UiMode = (typeof UI_MODES)[number];
export const DEFAULT_UI_MODE: UiMode = 'hosted';
export const SESSION_STATUSES = ['open', 'complete', 'expired'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export type PaymentStatus = 'unpaid' | 'paid' | 'no_payment_required';

export const SESSION_EVENTS = {
  'checkout.session.created': 'A checkout session was created.',
  'checkout.session.completed': 'A checkout session was completed, by its payment or because there was nothing to pay.',
  'checkout.session.expired': 'A checkout session expired, by itself or by request.',
} as const;
export type SessionEvent = keyof typeof SESSION_EVENTS;

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/** From 5 minutes to 24 hours ahead, with a minute of grace for the caller's clock at both ends. */
const MIN_LIFE = 5 * MINUTE - MINUTE;
const MAX_LIFE = DAY + MINUTE;

export const SESSION_NOT_OPEN: ErrorCode = {
  code: 'session_not_open',
  kind: 'state',
  meaning: 'The session is complete or expired. Read it.',
};

export const PAYMENT_SESSION_MISMATCH: ErrorCode = {
  code: 'payment_session_mismatch',
  kind: 'state',
  meaning: 'The amount or currency is not that of the session. `errors[].allowed` has the right one.',
};

export const PAYMENT_REQUIRED: ErrorCode = {
  code: 'payment_required',
  kind: 'state',
  meaning: 'Only an open session whose total is 0 is completed without a payment. Read it.',
};

/** What was captured for a session, in the minor unit of its currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

/** Why a capture does not pay its session. */
export type Mismatch = 'session_expired' | 'session_complete' | 'amount' | 'currency';

/** What a caller may say about a session and the service only keeps. */
interface SessionDetails {
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly returnUrl: string | null;
  readonly notifyUrl: string | null;
  readonly description: string | null;
  readonly customerEmail: string | null;
  readonly locale: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** All amounts are in the minor unit of the currency; `expiresAt` is in Unix seconds. */
export interface CheckoutSessionState extends SessionDetails {
  readonly id: string;
  readonly mode: Mode;
  readonly uiMode: UiMode;
  readonly status: SessionStatus;
  readonly paymentStatus: PaymentStatus;
  readonly currency: string;
  readonly amountSubtotal: number;
  readonly amountDiscount: number;
  readonly amountShipping: number;
  readonly amountTax: number;
  readonly amountTotal: number;
  readonly expiresAt: number;
  readonly lineItems: readonly LineItem[];
}

/** A session as a caller asks for it; but for the shipping, its amounts are claims that are checked, not taken. */
export interface NewCheckoutSession extends SessionDetails {
  readonly uiMode?: UiMode | undefined;
  readonly currency: string;
  readonly amount?: number | undefined;
  readonly amountSubtotal?: number | undefined;
  readonly amountDiscount?: number | undefined;
  readonly amountShipping?: number | undefined;
  readonly amountTax?: number | undefined;
  readonly amountTotal?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly lineItems: readonly NewLineItem[];
}

export interface CheckoutSessionSummary {
  readonly id: string;
  readonly mode: Mode;
  readonly status: SessionStatus;
  readonly paymentStatus: PaymentStatus;
  readonly currency: string;
  readonly amountTotal: number;
}

export class CheckoutSession {
  private constructor(readonly state: CheckoutSessionState) {}

  /** A new open session. `now` is in milliseconds. Throws an invalid_param refusal with everything that is wrong. */
  static open(input: NewCheckoutSession, mode: Mode, now: number): CheckoutSession {
    const id = newId(CHECKOUT_SESSION_ID, now, mode);
    const faults = new AmountFaults();
    const currency = agreedCurrency(input, faults);
    const lineItems = input.lineItems.map((line, index) => priceLine(line, currency, `line_items[${index}]`, faults));
    const totals = totalsOf(lineItems, input, faults);
    const expiresAt = chosenExpiry(input.expiresAt, createdAt(id), faults);
    if (mode === 'live') requireHttps(input, faults);
    faults.throwIfAny();
    return new CheckoutSession({
      ...detailsOf(input),
      ...totals,
      id,
      mode,
      uiMode: input.uiMode ?? DEFAULT_UI_MODE,
      status: 'open',
      paymentStatus: totals.amountTotal === 0 ? 'no_payment_required' : 'unpaid',
      currency,
      expiresAt,
      lineItems,
    });
  }

  /** A session as it was stored. */
  static restore(state: CheckoutSessionState): CheckoutSession {
    return new CheckoutSession(state);
  }

  /** How many things have happened to it: it is created, and then completed or expired once. */
  get version(): number {
    return this.state.status === 'open' ? 1 : 2;
  }

  /** Why this does not pay the session: the first reason that applies, or null when it does. */
  mismatchOf({ amount, currency }: Captured): Mismatch | null {
    const { status, amountTotal } = this.state;
    if (status !== 'open') return `session_${status}`;
    if (amount !== amountTotal) return 'amount';
    return currency === this.state.currency ? null : 'currency';
  }

  /** The session once this much was captured for it: complete and paid. Refuses all but the exact sum of an open one. */
  pay({ amount, currency }: Captured): CheckoutSession {
    this.requireOpen('checkout_session');
    const mismatches = [
      ...(amount === this.state.amountTotal ? [] : [mismatch('amount', this.state.amountTotal)]),
      ...(currency === this.state.currency ? [] : [mismatch('currency', this.state.currency)]),
    ];
    if (mismatches.length > 0) {
      const message = 'The session asks for another amount or currency.';
      throw new Refusal(PAYMENT_SESSION_MISMATCH, message, mismatches, this.state.id);
    }
    return new CheckoutSession({ ...this.state, status: 'complete', paymentStatus: 'paid' });
  }

  /** The session, complete without a payment. Refuses all but an open one that asks for nothing. */
  completeFree(): CheckoutSession {
    const { id, status, amountTotal } = this.state;
    if (status === 'open' && amountTotal === 0) return new CheckoutSession({ ...this.state, status: 'complete' });
    const message = amountTotal === 0 ? `The session is ${status}, not open.` : `The session asks for ${amountTotal}.`;
    throw new Refusal(PAYMENT_REQUIRED, message, [paramError('id', 'invalid_value', message)], id);
  }

  /** The session, ended before its time. */
  expire(): CheckoutSession {
    this.requireOpen('id');
    return new CheckoutSession({ ...this.state, status: 'expired' });
  }

  private requireOpen(param: string): void {
    const { status, id } = this.state;
    if (status !== 'open') throw sessionNotOpen(id, status, param);
  }
}

function sessionNotOpen(id: string, status: SessionStatus, param: string): Refusal {
  const message = `The session is ${status}, not open.`;
  return new Refusal(SESSION_NOT_OPEN, message, [paramError(param, 'invalid_value', message)], id);
}

function mismatch(param: 'amount' | 'currency', expected: string | number) {
  return paramError(param, `${param}_mismatch`, `${param} must be the session's, ${expected}.`, [expected]);
}

function agreedCurrency(input: NewCheckoutSession, faults: AmountFaults): string {
  const currency = currencyOf(input.currency);
  if (currency === undefined) faults.add('currency', 'invalid_value', 'must be an ISO 4217 code', CURRENCIES);
  input.lineItems.forEach((line, index) => {
    if (currency === undefined || currencyOf(line.currency) === currency) return;
    const param = `line_items[${index}].price_data.currency`;
    faults.add(param, 'currency_mismatch', `must be the session's, ${currency}`, [currency]);
  });
  return currency ?? input.currency;
}

function totalsOf(lines: readonly LineItem[], input: NewCheckoutSession, faults: AmountFaults) {
  const sum = (of: (line: LineItem) => number) => lines.reduce((total, line) => total + of(line), 0);
  const { amountShipping = 0 } = input;
  const totals = {
    amountSubtotal: sum((line) => line.amountSubtotal),
    amountDiscount: sum((line) => line.amountDiscount),
    amountTax: sum((line) => line.amountTax),
    amountShipping,
    amountTotal: sum((line) => line.amountTotal) + amountShipping,
  };
  if (Math.max(...Object.values(totals)) > MAX_AMOUNT) {
    faults.add('amount_total', 'too_large', `must be at most ${MAX_AMOUNT}, and so must every sum`);
    return totals;
  }
  faults.confirm('amount', input.amount, totals.amountTotal);
  faults.confirm('amount_subtotal', input.amountSubtotal, totals.amountSubtotal);
  faults.confirm('amount_discount', input.amountDiscount, totals.amountDiscount);
  faults.confirm('amount_tax', input.amountTax, totals.amountTax);
  faults.confirm('amount_total', input.amountTotal, totals.amountTotal);
  return totals;
}

function chosenExpiry(wanted: number | undefined, created: number, faults: AmountFaults): number {
  if (wanted === undefined) return created + DAY;
  if (wanted < created + MIN_LIFE) faults.add('expires_at', 'too_small', 'must be at least 5 minutes ahead');
  if (wanted > created + MAX_LIFE) faults.add('expires_at', 'too_large', 'must be at most 24 hours ahead');
  return wanted;
}

/** Test mode may call back to the developer's own machine; live mode never leaves TLS. */
function requireHttps(input: NewCheckoutSession, faults: AmountFaults): void {
  const check = (param: string, url: string | null) => {
    if (url !== null && !/^https:/i.test(url)) faults.add(param, 'invalid_format', 'must be an https URL in live mode');
  };
  check('success_url', input.successUrl);
  check('cancel_url', input.cancelUrl);
  check('return_url', input.returnUrl);
  check('notify_url', input.notifyUrl);
  input.lineItems.forEach((line, at) => {
    line.images?.forEach((url, image) => {
      check(`line_items[${at}].price_data.product_data.images[${image}]`, url);
    });
  });
}

function detailsOf(input: NewCheckoutSession): SessionDetails {
  const { successUrl, cancelUrl, returnUrl, notifyUrl, description, customerEmail, metadata } = input;
  const locale = canonicalLocale(input.locale);
  return { successUrl, cancelUrl, returnUrl, notifyUrl, description, customerEmail, locale, metadata };
}

/** The canonical form of a BCP 47 tag: `EN-us` is `en-US`. */
function canonicalLocale(locale: string | null): string | null {
  if (locale === null || locale === 'auto') return locale;
  return Intl.getCanonicalLocales(locale)[0] ?? locale;
}
