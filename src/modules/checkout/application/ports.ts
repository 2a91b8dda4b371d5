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
  /** Refuses with not_found on `param`, the parameter that held the ID. */
  abstract get(caller: Caller, id: OwnId, param?: string): Promise<CheckoutSession>;
  /** The same on `id`, with the first lines only: a session of 100 lines may have 256 KiB. */
  abstract getShort(caller: Caller, id: OwnId, lines: number): Promise<ShortSession>;
  /** Sessions of the caller's mode, newest first. */
  abstract list(
    caller: Caller,
    filter: CheckoutSessionFilter,
  ): Promise<Page<CheckoutSessionSummary>>;
}

export interface LockedSession {
  readonly session: CheckoutSession;
  /** False if it is overdue, and not stored as expired yet. */
  readonly isStored: boolean;
}

export abstract class CheckoutSessions extends CheckoutSessionQueries {
  abstract add(unit: Unit, session: CheckoutSession): void;
  /** Locks a session until the end of the unit. Refuses as `get` does. */
  abstract lock(unit: Unit, id: OwnId, param?: string): Promise<LockedSession>;
  /**
   * Stores another status or time of an open session. Stale if the stored one is no longer open, is
   * overdue, or was postponed since.
   */
  abstract change(unit: Unit, session: CheckoutSession): void;
  /**
   * Up to `limit` open sessions past their expires_at, the oldest first: of all organizations, or
   * of a moved clock's caller.
   */
  abstract overdue(
    limit: number,
    after?: OverdueSession,
    clock?: MovedClock,
  ): Promise<OverdueSession[]>;
  /**
   * Stores as expired at once those that are still open and overdue by a clock that is `ahead`.
   * Returns them.
   */
  abstract expire(unit: Unit, places: readonly string[], ahead: number): Promise<CheckoutSession[]>;
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
   * The row, and its position among the overdue ones. Only the port's implementation understands
   * them.
   */
  readonly place: string;
  readonly expiresAt: string;
  readonly id: string;
}

export interface ClosedSession {
  readonly id: OwnId;
  /** Its position among the closed ones. Only the port's implementation understands it. */
  readonly closedAt: string;
  readonly isExpired: boolean;
}

export interface ClosedPage {
  readonly days: number;
  readonly limit: number;
  readonly after: ClosedSession | undefined;
}

/**
 * What customers and shops said: the details of closed sessions, and their copies everywhere else.
 */
export abstract class SessionDetails {
  /** Stores a redacted session, which is locked, and clears what else tells of it. */
  abstract clear(unit: Unit, session: CheckoutSession): void;
  /**
   * Removes, at once, those of the sessions that expired and have no payment. Returns those that
   * have one.
   */
  abstract remove(unit: Unit, ids: readonly OwnId[]): Promise<readonly OwnId[]>;
  /**
   * Sessions with details that were closed so many days ago, by the clock of the caller, the oldest
   * first.
   */
  abstract closed(caller: Caller, page: ClosedPage): Promise<ClosedSession[]>;
  /**
   * Some of the closed sessions with this address, in whatever case, by ID; with `after` those
   * after that one.
   */
  abstract withEmail(caller: Caller, email: string, after?: OwnId): Promise<OwnId[]>;
}

export interface PageLink {
  readonly caller: Caller;
  readonly session: OwnId;
  /** The absolute URL of the page, which ends with the token. */
  readonly url: string;
}

/**
 * Links to the pages of sessions, none if pages are not served. Anyone with a link acts as the
 * customer.
 */
export abstract class PageLinks {
  /** Always the same URL for a session. It does not reveal the session. */
  abstract urlOf(organization: string, session: string): string | undefined;
  /** Undefined unless urlOf() made the token. */
  abstract read(token: string): PageLink | undefined;
}
