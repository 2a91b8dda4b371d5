import type { Caller } from '../../../shared/caller.js';
import type { PageSession } from '../domain/checkout-page.js';

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

export abstract class LatePayments {
  /** Records a payment in a few seconds, whatever happens to the session until then. A process that ends before records none. */
  abstract expect(caller: Caller, session: PageSession): void;
}
