import type { CallbackUrls } from '../../../shared/callback-urls.js';
import type { Mode } from '../../../shared/caller.js';
import { CURRENCIES, currencyOf, MAX_AMOUNT } from '../../../shared/money.js';
import { filledUrl, MAX_FILLED, placeholderFault } from '../../../shared/web-url.js';
import {
  AmountFaults,
  type LineItem,
  type NewLineItem,
  type Optional,
  priceLine,
} from './line-item.js';

export const UI_MODES = ['hosted', 'embedded'] as const;
export type UiMode = (typeof UI_MODES)[number];
export const DEFAULT_UI_MODE: UiMode = 'hosted';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/**
 * A session lives from 5 minutes to 24 hours, with a minute of tolerance for the caller's clock at
 * both ends.
 */
const MIN_LIFE = 5 * MINUTE - MINUTE;
const MAX_LIFE = DAY + MINUTE;
const LONGEST = { CHECKOUT_SESSION_ID: `cs_live_${'0'.repeat(26)}` };

/** These members tell of the customer or the shop, and are removed when a session is redacted. */
export const NO_DETAILS = {
  successUrl: null,
  cancelUrl: null,
  returnUrl: null,
  notifyUrl: null,
  description: null,
  customerEmail: null,
};
type SessionDetails = Readonly<Record<keyof typeof NO_DETAILS, string | null>>;

/** All amounts are in the minor unit of the currency; `expiresAt` is in Unix seconds. */
export interface SessionTerms extends SessionDetails {
  readonly uiMode: UiMode;
  readonly currency: string;
  readonly amountSubtotal: number;
  readonly amountDiscount: number;
  readonly amountShipping: number;
  readonly amountTax: number;
  readonly amountTotal: number;
  readonly locale: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expiresAt: number;
  readonly lineItems: readonly LineItem[];
}

/**
 * This is a session as the caller sends it. Subtotal and totals are only compared with the computed
 * ones.
 */
export interface NewCheckoutSession
  extends Optional<Omit<SessionTerms, keyof SessionDetails | 'currency' | 'lineItems'>> {
  readonly currency: string;
  readonly amount?: number | undefined;
  readonly details?: SessionDetails | undefined;
  readonly lineItems: readonly NewLineItem[];
}

/**
 * Computes the terms and sums of a new session. `created` is in Unix seconds. Refuses with
 * invalid_param, listing every fault.
 */
export function agreedTerms(
  input: NewCheckoutSession,
  mode: Mode,
  created: number,
  callbackUrls: CallbackUrls,
): SessionTerms {
  const faults = new AmountFaults();
  const currency = agreedCurrency(input, faults);
  const lineItems = input.lineItems.map((line, index) =>
    priceLine(line, currency, `line_items[${index}]`, faults),
  );
  const totals = totalsOf(lineItems, input, faults);
  const expiresAt = chosenExpiry(input.expiresAt, created, faults);
  const { details = NO_DETAILS, uiMode = DEFAULT_UI_MODE, metadata = {} } = input;
  if (mode === 'live') requireHttps(details, lineItems, faults);
  requireFillable(details, faults);
  const notifyFault =
    details.notifyUrl === null ? undefined : callbackUrls.faultOf(details.notifyUrl, mode);
  if (notifyFault) faults.add('notify_url', 'invalid_format', notifyFault);
  faults.throwIfAny();
  const locale = canonicalLocale(input.locale);
  // The spreads come last, as everywhere on hot paths: members named after a spread cost 20 µs here
  // (docs/explain/performance.md).
  return { uiMode, currency, locale, metadata, expiresAt, lineItems, ...totals, ...details };
}

function agreedCurrency(input: NewCheckoutSession, faults: AmountFaults): string {
  const currency = currencyOf(input.currency);
  if (currency === undefined)
    faults.add('currency', 'invalid_value', 'must be an ISO 4217 code', CURRENCIES);
  input.lineItems.forEach((line, index) => {
    if (currency === undefined || currencyOf(line.currency) === currency) return;
    const param = `line_items[${index}].price_data.currency`;
    faults.add(param, 'currency_mismatch', `must be the session's, ${currency}`, [currency]);
  });
  return currency ?? input.currency;
}

function totalsOf(lines: readonly LineItem[], input: NewCheckoutSession, faults: AmountFaults) {
  const sum = (of: (line: LineItem) => number) =>
    lines.reduce((total, line) => total + of(line), 0);
  const { amountShipping = 0 } = input;
  const [discount, tax] = [sum((line) => line.amountDiscount), sum((line) => line.amountTax)];
  const due = sum((line) => line.amountTotal) + amountShipping;
  // Two values can exceed the sum of the lines: the order's own discount, and the tax in the
  // shipping, which changes no total.
  const asked = input.lineItems.reduce((total, line) => total + (line.amountDiscount ?? 0), 0);
  const amountDiscount = nearest(
    Math.max(input.amountDiscount ?? 0, asked),
    discount,
    discount + due,
  );
  const amountTax = nearest(input.amountTax ?? tax, tax, tax + amountShipping);
  const totals = {
    amountSubtotal: sum((line) => line.amountSubtotal),
    amountDiscount,
    amountTax,
    amountShipping,
    amountTotal: due - (amountDiscount - discount),
  };
  if (Math.max(...Object.values(totals)) > MAX_AMOUNT) {
    faults.add('amount_total', 'too_large', `must be at most ${MAX_AMOUNT}, and so must every sum`);
    return totals;
  }
  confirmTotal('amount', input, totals.amountTotal, faults);
  faults.confirm('amount_subtotal', input.amountSubtotal, totals.amountSubtotal);
  confirmBound('amount_discount', input.amountDiscount, [discount, amountDiscount], faults);
  confirmBound('amount_tax', input.amountTax, [tax, amountTax], faults);
  const isConfirmed = input.amount !== undefined || input.amountTotal !== undefined;
  if (!isConfirmed && (amountDiscount > discount || amountTax > tax)) {
    const message =
      'is required with a discount on the order, or tax in the shipping: it must be ' +
      `${totals.amountTotal}`;
    faults.add('amount_total', 'required', message, [totals.amountTotal]);
  }
  confirmTotal('amount_total', input, totals.amountTotal, faults);
  return totals;
}

const nearest = (amount: number, least: number, most: number) =>
  Math.min(Math.max(amount, least), most);

/**
 * Checks a value that is the sum of the lines unless the caller sends another. The excess of a
 * line's discount over its subtotal can only be a discount on the order.
 */
function confirmBound(
  param: string,
  claimed: number | undefined,
  [sum, bound]: readonly [number, number],
  faults: AmountFaults,
): void {
  const said = claimed ?? sum;
  const code = claimed === undefined ? 'required' : 'amount_mismatch';
  if (said !== bound)
    faults.add(param, code, `must be at ${said < bound ? 'least' : 'most'} ${bound}`, [bound]);
}

/**
 * Compares a total with the computed one. A larger total may contain shipping or tax that was left
 * out. The response then names no allowed total, because the computed one would lower what the
 * customer owes.
 */
function confirmTotal(
  param: 'amount' | 'amount_total',
  input: NewCheckoutSession,
  total: number,
  faults: AmountFaults,
) {
  const claimed = param === 'amount' ? input.amount : input.amountTotal;
  const sent = [
    input.amountShipping,
    input.amountTax,
    ...input.lineItems.map(({ amountTax }) => amountTax),
  ];
  if (claimed === undefined || claimed <= total || sent.some((amount) => amount !== undefined)) {
    faults.confirm(param, claimed, total);
    return;
  }
  faults.add(
    param,
    'amount_mismatch',
    `must be ${total}: send shipping as amount_shipping, and tax as line_items[].amount_tax`,
  );
}

function chosenExpiry(wanted: number | undefined, created: number, faults: AmountFaults): number {
  if (wanted === undefined) return created + DAY;
  if (wanted < created + MIN_LIFE)
    faults.add('expires_at', 'too_small', 'must be at least 5 minutes ahead');
  if (wanted > created + MAX_LIFE)
    faults.add('expires_at', 'too_large', 'must be at most 24 hours ahead');
  return wanted;
}

/**
 * Refuses other URLs than https in live mode. Test mode also allows http to localhost, the
 * developer's own machine.
 */
function requireHttps(
  details: SessionDetails,
  lineItems: readonly LineItem[],
  faults: AmountFaults,
): void {
  const check = (param: string, url: string | null) => {
    if (url !== null && !/^https:/i.test(url))
      faults.add(param, 'invalid_format', 'must be an https URL in live mode');
  };
  check('success_url', details.successUrl);
  check('cancel_url', details.cancelUrl);
  check('return_url', details.returnUrl);
  lineItems.forEach((line, at) => {
    line.images.forEach((url, image) => {
      check(`line_items[${at}].price_data.product_data.images[${image}]`, url);
    });
  });
}

/**
 * The URL must fit a Location header once an ID replaces its placeholders and its other characters
 * are percent-encoded.
 */
function requireFillable(
  { successUrl, cancelUrl, returnUrl }: SessionDetails,
  faults: AmountFaults,
): void {
  const urls = { success_url: successUrl, cancel_url: cancelUrl, return_url: returnUrl };
  for (const [param, url] of Object.entries(urls)) {
    const fault = url && placeholderFault(url, LONGEST);
    if (fault) faults.add(param, 'invalid_format', fault);
    else if (url !== null && filledUrl(url, LONGEST) === undefined)
      faults.add(
        param,
        'too_long',
        `must have at most ${MAX_FILLED} characters, percent-encoded and with its IDs`,
      );
  }
}

function canonicalLocale(locale: string | null = null): string | null {
  if (locale === null || locale === 'auto') return locale;
  return Intl.getCanonicalLocales(locale)[0] ?? locale;
}
