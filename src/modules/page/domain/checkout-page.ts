import type { Caller } from '../../../shared/caller.js';
import { filledUrl } from '../../../shared/web-url.js';
import { filledPaymentUrl } from './payment-url.js';

/** How long the page waits for the merchant to acknowledge the completed session. */
const MERCHANT_MS = 5_000;

/**
 * `being_paid`: the customer has left to pay. `being_settled`: the session is complete, and the merchant has not acknowledged
 * the webhook yet. `received`: a payment was recorded that did not complete the session.
 */
export type PageState = 'open' | 'nothing_to_pay' | 'being_paid' | 'being_settled' | 'paid' | 'received' | 'expired';

export const MAX_LINES = 20;

export interface PageLine {
  readonly productName: string;
  readonly description: string | null;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly amountSubtotal: number;
}

/** What the shop shows to its customers. The contact is an e-mail address or a URL. */
export type ShopDetails = Readonly<Record<'contact' | 'termsUrl' | 'privacyUrl', string | null>>;

/** The fields of a session that its page needs. Amounts are in the minor unit of the currency, times in Unix seconds. */
export interface PageSession {
  readonly id: string;
  readonly uiMode: 'hosted' | 'embedded';
  readonly status: 'open' | 'complete' | 'expired';
  readonly currency: string;
  readonly amountSubtotal: number;
  readonly amountDiscount: number;
  readonly amountShipping: number;
  readonly amountTax: number;
  readonly amountTotal: number;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly returnUrl: string | null;
  readonly description: string | null;
  readonly locale: string | null;
  readonly expiresAt: number;
}

export interface ShownSession extends PageSession {
  /** The first ones, of `lineCount`. */
  readonly lineItems: readonly PageLine[];
  readonly lineCount: number;
}

export interface PageFacts {
  readonly caller: Caller;
  readonly session: ShownSession;
  readonly url: string;
  readonly shop: string;
  readonly details: ShopDetails;
  /** The URL where the customer pays, with placeholders; null if the shop has set none. */
  readonly paymentUrl: string | null;
  /** Whether the customer has left to pay. Only the ledger knows whether they did. */
  readonly isStarted: boolean;
  readonly isUnmatched: boolean;
  /** The ID of the payment that completed the session. */
  readonly payment: string | undefined;
  /** When the session was completed, in milliseconds; undefined once the merchant has acknowledged the webhook. */
  readonly unacknowledgedSince: number | undefined;
}

/** Where the Pay button leads: to the shop's payment URL, to test mode's pretend payment provider, or nowhere. */
export type PlaceToPay = { readonly url: string } | 'pretend' | undefined;

export class CheckoutPage {
  readonly state: PageState;

  /** `now` is in milliseconds. */
  constructor(
    readonly facts: PageFacts,
    now: number,
  ) {
    this.state = stateOf(facts, now);
  }

  get isPayable(): boolean {
    return this.state === 'open' || this.state === 'being_paid';
  }

  get placeToPay(): PlaceToPay {
    const { paymentUrl, caller, session, url: page } = this.facts;
    if (paymentUrl === null) return caller.mode === 'test' ? 'pretend' : undefined;
    const url = filledPaymentUrl(paymentUrl, {
      CHECKOUT_SESSION_ID: session.id,
      ORGANIZATION: caller.organization,
      RETURN_URL: `${page}/return`,
      CANCEL_URL: `${page}/cancel`,
    });
    return url === undefined ? undefined : { url };
  }

  get onward(): string | null {
    const { uiMode, successUrl, returnUrl } = this.facts.session;
    return this.filled(uiMode === 'embedded' ? returnUrl : successUrl);
  }

  get back(): string | null {
    const { cancelUrl, uiMode, returnUrl } = this.facts.session;
    return this.filled(cancelUrl ?? (uiMode === 'embedded' ? returnUrl : null));
  }

  private filled(url: string | null): string | null {
    return (url && filledUrl(url, { CHECKOUT_SESSION_ID: this.facts.session.id })) || null;
  }
}

function stateOf({ session, isStarted, isUnmatched, unacknowledgedSince }: PageFacts, now: number): PageState {
  if (isUnmatched) return 'received';
  if (session.status === 'expired') return 'expired';
  if (session.status === 'complete') {
    return unacknowledgedSince !== undefined && now < unacknowledgedSince + MERCHANT_MS ? 'being_settled' : 'paid';
  }
  if (session.amountTotal === 0) return 'nothing_to_pay';
  return isStarted ? 'being_paid' : 'open';
}
