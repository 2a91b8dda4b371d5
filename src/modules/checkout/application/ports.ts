import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { Write } from '../../../shared/decision.js';
import type { PageRequest } from '../../../shared/page.js';
import type {
  CheckoutSession,
  CheckoutSessionSummary,
  SessionEvent,
  SessionStatus,
} from '../domain/checkout-session.js';

export interface CheckoutSessionFilter extends PageRequest {
  readonly status: SessionStatus | undefined;
  /** Creation time in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The sessions of the caller's organization. Past its time, a session is found as expired, by the database's clock. */
export abstract class CheckoutSessions {
  abstract add(caller: Caller, session: CheckoutSession): Write;
  /** Stores the outcome of an open session. Stale when it is no longer open, or its time is over. */
  abstract close(caller: Caller, session: CheckoutSession): Write;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<CheckoutSession | undefined>;
  /** The notify_url of a session of the caller's mode, or null. */
  abstract notifyUrl(caller: Caller, id: string): Promise<string | null>;
  /** In the caller's mode. Refuses with not_found on the parameter that the id came in. */
  abstract get(caller: Caller, id: string, param: string): Promise<CheckoutSession>;
  /** Up to `limit` open sessions whose time is over: of anyone by the database's clock, or of a test mode by its moved clock. */
  abstract overdue(limit: number, by?: MovedClock): Promise<OverdueSessions[]>;
  /** In the open transaction: stores those that are still open and over as expired, and returns them. */
  abstract expire(overdue: OverdueSessions): Promise<OwnedCheckoutSession[]>;
  /** In the caller's mode, newest first: up to one more than the limit, to tell whether there are more. */
  abstract list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]>;
}

/** Sessions of one organization that were found to be over. */
export interface OverdueSessions extends MovedClock {
  /** Where they are stored: nothing to anyone but the port. */
  readonly places: readonly string[];
}

export interface OwnedCheckoutSession {
  readonly caller: Caller;
  readonly session: CheckoutSession;
}

export abstract class CheckoutSessionEvents {
  /** Records what happened to the session, as the API shows it from now on, and sends it to its notify_url. */
  abstract record(caller: Caller, event: SessionEvent, session: CheckoutSession): Write;
  /** The same for sessions of one organization: large ones a few at a time, and in between requests are served. */
  abstract recordAll(
    organization: string,
    event: SessionEvent,
    sessions: readonly OwnedCheckoutSession[],
  ): Promise<readonly Write[]>;
}

/** Where customers pay. Told by the module that shows them the page. */
export abstract class PaymentPages {
  /** The absolute URL of a session's page, or undefined where no pages are shown. */
  abstract urlOf(organization: string, session: string): string | undefined;
}
