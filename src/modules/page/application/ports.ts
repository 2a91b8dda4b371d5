import type { Caller } from '../../../shared/caller.js';
import type { Decided, Write } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { PageSession, RecordedPayment, ShopDetails, ShownSession } from '../domain/checkout-page.js';

export interface StoredPage {
  /** The session's payment URL or, without one, the organization's. */
  readonly paymentUrl: string | null;
  readonly isStarted: boolean;
}

export abstract class Pages {
  abstract find(caller: Caller, session: string): Promise<StoredPage>;
  abstract start(caller: Caller, session: string): Promise<void>;
  abstract setPaymentUrl(caller: Caller, session: string, url: string): Promise<void>;
  /** Sets the payment URL of all sessions that have none of their own; null removes it. */
  abstract setOrganizationPaymentUrl(caller: Caller, url: string | null): Promise<void>;
  abstract organizationPaymentUrl(caller: Caller): Promise<string | null>;
}

export abstract class Links {
  /** The session of a page's token and the page's absolute URL. Undefined for any other text, which costs no read. */
  abstract read(token: string): { readonly caller: Caller; readonly session: OwnId; readonly url: string } | undefined;
}

export abstract class Sessions {
  /** Refuses with not_found on `id`. */
  abstract get(caller: Caller, id: OwnId): Promise<{ readonly state: PageSession }>;
  abstract getShort(caller: Caller, id: OwnId, lines: number): Promise<ShownSession>;
}

export abstract class FreeSessions {
  /** Completes a session whose total is 0. Refuses as CloseCheckoutSession does. */
  abstract completeFree(caller: Caller, id: OwnId): Promise<Decided<unknown>>;
}

export abstract class Shops {
  /** Refuses with not_found. */
  abstract byId(organization: string): Promise<{ readonly name: string; readonly details: ShopDetails }>;
  abstract origins(caller: Caller): Promise<readonly string[]>;
}

export abstract class Captures {
  abstract ofSession(caller: Caller, session: OwnId): Promise<readonly RecordedPayment[]>;
  /** Records a payment of the session's total, as the ledger does. If the session is no longer open, the payment has a mismatch. */
  abstract record(caller: Caller, session: PageSession): Promise<readonly Write[]>;
}

export abstract class LatePayments {
  /** Records a payment in a few seconds, whatever happens to the session until then. A process that ends before records none. */
  abstract expect(caller: Caller, session: PageSession): void;
}

export abstract class Acknowledgements {
  /** When the event was recorded, in milliseconds, if the merchant has not acknowledged its webhook yet. */
  abstract undeliveredSince(caller: Caller, event: { object: string; type: string }): Promise<number | undefined>;
}
