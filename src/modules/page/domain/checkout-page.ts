import type { Caller } from '../../../shared/caller.js';
import { fillIn } from './payment-url.js';

/** How long the customer waits for the merchant to acknowledge the completed session. */
const MERCHANT_MS = 5_000;

/** Being settled is being paid for certain, while the merchant has not yet acknowledged it. */
export type PageState = 'open' | 'nothing_to_pay' | 'being_paid' | 'being_settled' | 'paid' | 'expired';

export interface PageLine {
  readonly productName: string;
  readonly description: string | null;
  readonly taxBehavior: 'inclusive' | 'exclusive';
  readonly quantity: number;
  readonly unitPrice: number;
  readonly amountSubtotal: number;
  readonly amountTax: number;
}

/** What a page shows of a session. Amounts are in the minor unit of the currency, times in Unix seconds. */
export interface PageSession {
  readonly id: string;
  readonly uiMode: 'hosted' | 'embedded';
  readonly status: 'open' | 'complete' | 'expired';
  readonly currency: string;
  readonly amountSubtotal: number;
  readonly amountDiscount: number;
  readonly amountShipping: number;
  readonly amountTotal: number;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly returnUrl: string | null;
  readonly description: string | null;
  readonly locale: string | null;
  readonly expiresAt: number;
  readonly lineItems: readonly PageLine[];
}

export interface PageFacts {
  readonly caller: Caller;
  readonly session: PageSession;
  /** The name of the organization. */
  readonly shop: string;
  /** Where the customer pays, with placeholders; null if the shop has no such place. */
  readonly paymentUrl: string | null;
  /** Whether the customer went to pay, and did not come back without having paid. */
  readonly isStarted: boolean;
  /** When the session was completed, in milliseconds, while the merchant has not acknowledged that. */
  readonly unacknowledgedSince: number | undefined;
}

/** Where Pay leads: to a place of the shop's, to the pretend payer of test mode, or nowhere. */
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
    const { paymentUrl, caller } = this.facts;
    if (paymentUrl !== null) return { url: paymentUrl };
    return caller.mode === 'test' ? 'pretend' : undefined;
  }

  /** Where the customer goes after paying, or null. */
  get onward(): string | null {
    const { id, uiMode, successUrl, returnUrl } = this.facts.session;
    const url = uiMode === 'embedded' ? returnUrl : successUrl;
    return url === null ? null : fillIn(url, { id });
  }

  /** Where the customer goes without paying, or null. */
  get back(): string | null {
    const { id, cancelUrl, uiMode, returnUrl } = this.facts.session;
    const url = cancelUrl ?? (uiMode === 'embedded' ? returnUrl : null);
    return url === null ? null : fillIn(url, { id });
  }
}

function stateOf({ session, isStarted, unacknowledgedSince }: PageFacts, now: number): PageState {
  if (session.status === 'expired') return 'expired';
  if (session.status === 'complete') {
    return unacknowledgedSince !== undefined && now < unacknowledgedSince + MERCHANT_MS ? 'being_settled' : 'paid';
  }
  if (session.amountTotal === 0) return 'nothing_to_pay';
  return isStarted ? 'being_paid' : 'open';
}
