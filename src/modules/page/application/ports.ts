import type { Caller, Mode } from '../../../shared/caller.js';
import type { PageSession } from '../domain/checkout-page.js';

/** Where the customers of an organization pay, by mode. */
export type PaymentUrls = Readonly<Record<Mode, string | null>>;

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
  /** Those of the organizations, in their order. */
  abstract paymentUrlsOf(organizations: readonly string[]): Promise<PaymentUrls[]>;
}

export abstract class LatePayments {
  /** Records a payment in a few seconds, whatever happens to the session until then. A process that ends before records none. */
  abstract expect(caller: Caller, session: PageSession): void;
}
