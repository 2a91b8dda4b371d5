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

/** An open session past its expires_at is found as expired, by the database's clock or by the moved clock of its test mode. */
export abstract class CheckoutSessions {
  abstract add(caller: Caller, session: CheckoutSession): Write;
  /** Stores that a session was completed or expired. Stale if the stored session is no longer open, or is overdue. */
  abstract close(caller: Caller, session: CheckoutSession): Write;
  /** Finds a session of the caller's organization in either mode. */
  abstract find(caller: Caller, id: string): Promise<CheckoutSession | undefined>;
  /** The notify_url of a session of the caller's mode, or null. */
  abstract notifyUrl(caller: Caller, id: string): Promise<string | null>;
  /** Finds a session of the caller's mode. Refuses with not_found on `param`, the parameter that held the ID. */
  abstract get(caller: Caller, id: string, param: string): Promise<CheckoutSession>;
  /** Finds up to `limit` open sessions past their expires_at, of all organizations or, with a moved clock, of its test mode. */
  abstract overdue(limit: number, clock?: MovedClock): Promise<OverdueSessions[]>;
  /** Stores as expired, in the open transaction, those that are still open and overdue. Returns them. */
  abstract expire(overdue: OverdueSessions): Promise<OwnedCheckoutSession[]>;
  /** Sessions of the caller's mode, newest first. One more than the limit, if there are more. */
  abstract list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]>;
}

/** Overdue sessions of one organization. */
export interface OverdueSessions extends MovedClock {
  /** Row locations that only the port's implementation understands. */
  readonly places: readonly string[];
}

export interface OwnedCheckoutSession {
  readonly caller: Caller;
  readonly session: CheckoutSession;
}

export abstract class CheckoutSessionEvents {
  /** Records an event with the session as the API shows it after the change. The event is also sent to its notify_url, if any. */
  abstract record(caller: Caller, event: SessionEvent, session: CheckoutSession): Write;
  /** Records an event for each session of one organization. Between batches of large sessions, requests are served. */
  abstract recordAll(
    organization: string,
    event: SessionEvent,
    sessions: readonly OwnedCheckoutSession[],
  ): Promise<readonly Write[]>;
}

/** The pages on which customers pay. Implemented by the page module. */
export abstract class PaymentPages {
  /** The absolute URL of a session's page, or undefined if pages are not served. */
  abstract urlOf(organization: string, session: string): string | undefined;
}
