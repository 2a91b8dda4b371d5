import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CreatedPageRequest, Page } from '../../../shared/page.js';
import type { Unit } from '../../../shared/unit.js';
import type {
  CheckoutSession,
  CheckoutSessionState,
  CheckoutSessionSummary,
  SessionEvent,
  SessionStatus,
} from '../domain/checkout-session.js';

export interface CheckoutSessionFilter extends CreatedPageRequest {
  readonly status?: SessionStatus | undefined;
  readonly reference?: string | undefined;
}

export interface ShortSession extends CheckoutSessionState {
  readonly lineCount: number;
  readonly lineDiscount: number;
}

/**
 * An open session past its expires_at is found as expired, by the database's clock or by the moved
 * clock of its test mode.
 */
export abstract class CheckoutSessionQueries {
  /** Reads a session. Refuses with not_found on `param`, the parameter that held the ID. */
  abstract get(caller: Caller, id: OwnId, param?: string): Promise<CheckoutSession>;
  /**
   * Reads a session as `get` does, but with its first lines only: a session of 100 lines may have
   * 256 KiB. Refuses with not_found on `id`.
   */
  abstract getShort(caller: Caller, id: OwnId, lines: number): Promise<ShortSession>;
  /** Lists the sessions of the caller's mode, the newest first. */
  abstract list(
    caller: Caller,
    filter: CheckoutSessionFilter,
  ): Promise<Page<CheckoutSessionSummary>>;
}

export interface LockedSession {
  readonly session: CheckoutSession;
  /** This is false if the session is overdue and not yet stored as expired. */
  readonly isStored: boolean;
}

export abstract class CheckoutSessions extends CheckoutSessionQueries {
  abstract add(unit: Unit, session: CheckoutSession): void;
  /** Locks a session until the end of the unit. Refuses as `get` does. */
  abstract lock(unit: Unit, id: OwnId, param?: string): Promise<LockedSession>;
  /**
   * Stores another status or time of an open session. Throws Stale if the stored one is no longer
   * open, is overdue, or was postponed since.
   */
  abstract change(unit: Unit, session: CheckoutSession): void;
  /**
   * Finds up to `limit` open sessions past their expires_at, the oldest first: of all
   * organizations, or of a moved clock's caller.
   */
  abstract overdue(
    limit: number,
    after?: OverdueSession,
    clock?: MovedClock,
  ): Promise<OverdueSession[]>;
  /**
   * Stores at once as expired the sessions at these places that are still open and overdue by a
   * clock that is `ahead`. Returns them.
   */
  abstract expire(unit: Unit, places: readonly string[], ahead: number): Promise<CheckoutSession[]>;
  /**
   * Finds the newest complete session with a reference, and all that are not stored as complete or
   * expired, the newest first. Those that are overdue are found as expired.
   */
  abstract withReference(unit: Unit, reference: string): Promise<CheckoutSessionSummary[]>;
  /** Stores at once as expired the overdue sessions with a reference. Returns them. */
  abstract expireWithReference(unit: Unit, reference: string): Promise<CheckoutSession[]>;
}

export abstract class SessionEvents {
  /**
   * Records an event with the session as the API shows it after the change. The event is also sent
   * to its notify_url, if any.
   */
  abstract record(
    unit: Unit,
    event: SessionEvent,
    session: CheckoutSession,
    reason?: string | null,
  ): void;
}

export interface OverdueSession extends Caller {
  /**
   * The place names the row and its position among the overdue sessions. Only the port's
   * implementation understands it.
   */
  readonly place: string;
  readonly expiresAt: string;
  readonly id: string;
}

export interface ClosedSession {
  readonly id: OwnId;
  /**
   * This is the session's position among the closed ones. Only the port's implementation
   * understands it.
   */
  readonly closedAt: string;
  readonly isExpired: boolean;
}

export interface SessionWithEmail {
  readonly id: OwnId;
  /** The address as it was given. */
  readonly email: string;
  /** It is false for an overdue session, too. */
  readonly isOpen: boolean;
}

export interface ClosedPage {
  readonly days: number;
  readonly limit: number;
  readonly after: ClosedSession | undefined;
}

/**
 * This port holds the texts that customers and shops wrote: the details of closed sessions, and
 * their copies everywhere else.
 */
export abstract class SessionDetails {
  /** Stores a redacted session, which is locked, and clears the copies of its details elsewhere. */
  abstract clear(unit: Unit, session: CheckoutSession): void;
  /** Removes at once the sessions that expired and have no payment. Returns those that have one. */
  abstract remove(unit: Unit, ids: readonly OwnId[]): Promise<readonly OwnId[]>;
  /**
   * Finds sessions with details that were closed so many days ago, by the clock of the caller, the
   * oldest first.
   */
  abstract closed(caller: Caller, page: ClosedPage): Promise<ClosedSession[]>;
  /**
   * Finds up to 1,000 sessions that have an e-mail address, in the order of their IDs; with
   * `after`, only sessions after that one.
   */
  abstract withEmail(caller: Caller, after?: OwnId): Promise<SessionWithEmail[]>;
}

export interface PageLink {
  readonly caller: Caller;
  readonly session: OwnId;
  /** This is the absolute URL of the page. It ends with the token. */
  readonly url: string;
}

/**
 * Makes and reads the links to the pages of sessions. There are none if pages are not served.
 * Anyone with a link acts as the customer.
 */
export abstract class PageLinks {
  /** Returns always the same URL for a session. The URL does not reveal the session. */
  abstract urlOf(organization: string, session: string): string | undefined;
  /** Reads a token. The result is undefined unless urlOf() made the token. */
  abstract read(token: string): PageLink | undefined;
}
