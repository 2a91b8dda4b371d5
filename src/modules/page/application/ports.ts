import type { Caller } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { PageSession } from '../domain/checkout-page.js';

/** The session of a page, and the caller that the page reads it as. */
export interface PageKey {
  readonly caller: Caller;
  readonly session: string;
}

/** The secret part of a page's URL. Anyone with the token acts as the customer. */
export abstract class PageTokens {
  /** Always the same token for a session. It does not reveal the session. */
  abstract of(key: PageKey): string;
  /** Undefined unless of() made the token. */
  abstract read(token: string): PageKey | undefined;
}

export interface StoredPage {
  /** The session's payment URL or, without one, the organization's. */
  readonly paymentUrl: string | null;
  readonly isStarted: boolean;
}

/** The pages of the caller's organization and mode. */
export abstract class Pages {
  abstract find(caller: Caller, session: string): Promise<StoredPage>;
  /** Stores that the customer has left the page to pay. */
  abstract start(caller: Caller, session: string): Write;
  /** Stores that the customer came back without having paid. */
  abstract stop(caller: Caller, session: string): Write;
  abstract setPaymentUrl(caller: Caller, session: string, url: string): Write;
  /** Sets the payment URL of all sessions that have none of their own. */
  abstract setOrganizationPaymentUrl(caller: Caller, url: string): Write;
  abstract removeOrganizationPaymentUrl(caller: Caller): Write;
  abstract organizationPaymentUrl(caller: Caller): Promise<string | null>;
}

export abstract class Sessions {
  /** Refuses with not_found on `id`. */
  abstract get(caller: Caller, id: string): Promise<PageSession>;
  /** The writes that complete a session whose total is 0. Refuses as CompleteFreeCheckoutSession does. */
  abstract completeFree(caller: Caller, id: string): Promise<readonly Write[]>;
}

/** Organizations as customers see them. */
export abstract class Shops {
  /** Refuses with not_found. */
  abstract name(organization: string): Promise<string>;
  /** The origins on the lists of the caller's active keys. */
  abstract origins(caller: Caller): Promise<readonly string[]>;
}

export abstract class Captures {
  /** Records a payment of the session's total, as the ledger does. If the session is no longer open, the payment has a mismatch. */
  abstract record(caller: Caller, session: PageSession): Promise<readonly Write[]>;
}

/** Payments of test mode that are recorded later, whatever happens to the session until then. */
export abstract class LatePayments {
  /** Schedules a payment of the session for `dueAt` (milliseconds, real time). An earlier schedule stays as it is. */
  abstract expect(key: PageKey, dueAt: number): Write;
  abstract remove(key: PageKey): Write;
  /** The earliest due payments of all organizations, up to `limit`. */
  abstract due(now: number, limit: number): Promise<PageKey[]>;
}

export abstract class Acknowledgements {
  /** When the session was completed, in milliseconds, if the merchant has not acknowledged the webhook yet. */
  abstract awaitedSince(caller: Caller, session: string): Promise<number | undefined>;
}
