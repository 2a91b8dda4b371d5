import type { Caller } from '../../../shared/caller.js';
import { filledUrl } from '../../../shared/web-url.js';
import { filledPaymentUrl } from '../../access/index.js';
import type { ShortSession } from '../../checkout/index.js';

/** The page waits so long for the merchant to acknowledge the completed session. */
const MERCHANT_MS = 5_000;
/** A customer who has come back reads for so long that the payment is being confirmed. */
export const PATIENCE_SECONDS = 120;

/**
 * The state is `being_paid` when the customer has left to pay. It is `being_settled` when the
 * session is complete, and the merchant has not acknowledged the webhook yet. It is `awaited` while
 * the money is on its way, until the session expires. It is `received` when the session is not
 * complete, and the shop has a payment that does not match it.
 */
export type PageState =
  | 'open'
  | 'nothing_to_pay'
  | 'being_paid'
  | 'awaited'
  | 'being_settled'
  | 'paid'
  | 'received'
  | 'expired';

/**
 * The customer came back from paying, back without having paid, or by the link, which tells
 * neither.
 */
export type Visit = 'return' | 'cancel' | 'link';

/**
 * A customer sees the state or, if the session can be paid, a view that depends on how the customer
 * came.
 */
export type PageView = Exclude<PageState, 'being_paid'> | 'asking' | 'waiting' | 'unheard';

export const MAX_LINES = 20;

/** The shop shows these details to its customers. The contact is an e-mail address or a URL. */
export type ShopDetails = Readonly<Record<'contact' | 'termsUrl' | 'privacyUrl', string | null>>;

export type RecordedPayment = Readonly<{ id: string; isMatching: boolean; isRefunded: boolean }>;

export interface PageFacts {
  readonly caller: Caller;
  readonly session: ShortSession;
  readonly url: string;
  readonly shop: string;
  readonly details: ShopDetails;
  /** The customer pays at this URL, which has placeholders; null if the shop has set none. */
  readonly paymentUrl: string | null;
  /**
   * This is true if the customer has left to pay. Only the ledger knows whether the customer paid.
   */
  readonly isStarted: boolean;
  readonly payments: readonly RecordedPayment[];
  /**
   * This is the time when the session was completed, in milliseconds; undefined once the merchant
   * has acknowledged the webhook.
   */
  readonly unacknowledgedSince: number | undefined;
}

/**
 * The Pay button leads to this place: to the shop's payment URL, to test mode's pretend payment
 * provider, or nowhere.
 */
export type PlaceToPay = { readonly url: string } | 'pretend' | undefined;

export class CheckoutPage {
  readonly state: PageState;
  readonly payment: RecordedPayment | undefined;
  /**
   * This is true if the shop has a payment that did not complete the session. A payment that was
   * refunded in full no longer counts.
   */
  readonly hasUnmatched: boolean;
  readonly isRefunded: boolean;

  /** `now` is in milliseconds. */
  constructor(
    readonly facts: PageFacts,
    now: number,
  ) {
    const { payments } = facts;
    this.payment = payments.find(({ isMatching }) => isMatching);
    this.hasUnmatched = payments.some(({ isMatching, isRefunded }) => !isMatching && !isRefunded);
    this.isRefunded = this.payment?.isRefunded ?? (payments.length > 0 && !this.hasUnmatched);
    this.state = stateOf(this, now);
  }

  viewOf(visit: Visit, waitedSeconds: number): PageView {
    if (this.state !== 'open' && this.state !== 'being_paid') return this.state;
    if (visit === 'return') return waitedSeconds < PATIENCE_SECONDS ? 'waiting' : 'unheard';
    return this.state === 'being_paid' && visit === 'link' ? 'asking' : 'open';
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

function stateOf({ facts, hasUnmatched }: CheckoutPage, now: number): PageState {
  const { session, isStarted, unacknowledgedSince } = facts;
  if (session.status === 'complete') {
    return unacknowledgedSince !== undefined && now < unacknowledgedSince + MERCHANT_MS
      ? 'being_settled'
      : 'paid';
  }
  if (hasUnmatched) return 'received';
  if (session.status === 'expired') return 'expired';
  if (session.amountTotal === 0) return 'nothing_to_pay';
  if (session.originalExpiresAt !== null) return 'awaited';
  return isStarted ? 'being_paid' : 'open';
}
