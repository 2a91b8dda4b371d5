import type { Caller } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { PageSession } from '../domain/checkout-page.js';

/** The session that a page is of, and in whose name it is read. */
export interface PageKey {
  readonly caller: Caller;
  readonly session: string;
}

/** The secret part of an address: whoever has it is the customer. */
export abstract class PageTokens {
  /** Always the same for a session, and of no use to find out which. */
  abstract of(key: PageKey): string;
  /** Undefined for everything that of() has not made. */
  abstract read(token: string): PageKey | undefined;
}

export interface StoredPage {
  /** The session's own, else the organization's. */
  readonly paymentUrl: string | null;
  readonly isStarted: boolean;
}

/** What is known of the pages of the caller's organization and mode. */
export abstract class Pages {
  abstract find(caller: Caller, session: string): Promise<StoredPage>;
  /** Stores that the customer went to pay. */
  abstract start(caller: Caller, session: string): Write;
  /** Stores that the customer came back without having paid. */
  abstract stop(caller: Caller, session: string): Write;
  /** Where the session is paid. */
  abstract setPaymentUrl(caller: Caller, session: string, url: string): Write;
  /** Where all sessions are paid that have no place of their own. */
  abstract setOrganizationPaymentUrl(caller: Caller, url: string): Write;
  abstract removeOrganizationPaymentUrl(caller: Caller): Write;
  abstract organizationPaymentUrl(caller: Caller): Promise<string | null>;
}

export abstract class Sessions {
  /** Refuses with not_found on the id. */
  abstract get(caller: Caller, id: string): Promise<PageSession>;
  /** What completes a session that asks for nothing. Refuses as CompleteFreeCheckoutSession does. */
  abstract completeFree(caller: Caller, id: string): Promise<readonly Write[]>;
}

/** Organizations, as customers and browsers see them. */
export abstract class Shops {
  /** Refuses with not_found. */
  abstract name(organization: string): Promise<string>;
  /** The browser origins that the active keys of the organization and mode list. */
  abstract origins(caller: Caller): Promise<readonly string[]>;
}

export abstract class Captures {
  /** Records the session's total as paid, as the ledger does; a session that is no longer open gets unmatched money. */
  abstract record(caller: Caller, session: PageSession): Promise<readonly Write[]>;
}

/** What the pretend payer is still to pay, whatever happens until then. */
export abstract class LatePayments {
  /** Has the session paid at an instant (milliseconds, of real time). One that is expected already stays as it is. */
  abstract expect(key: PageKey, dueAt: number): Write;
  abstract remove(key: PageKey): Write;
  /** The first of anyone's that are due. */
  abstract due(now: number, limit: number): Promise<PageKey[]>;
}

export abstract class Acknowledgements {
  /** When the session was completed, in milliseconds, if the merchant is still to acknowledge that. */
  abstract awaitedSince(caller: Caller, session: string): Promise<number | undefined>;
}
