import type { Caller, Ledger } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CreatedPageRequest, Page } from '../../../shared/page.js';
import type { LedgerUnit, Unit } from '../../../shared/unit.js';
import type { Refund } from '../domain/refund.js';
import type { Payout, RefundEvent, RefundStatus } from '../domain/refund-state.js';
import type { RefundCount } from '../domain/round-robin.js';

export abstract class Refunds {
  /**
   * Stores a new refund. Throws Stale if another refund has the same reference, or if both were
   * made elsewhere and have the same provider reference.
   */
  abstract add(unit: Unit, refund: Refund): void;
  /** Stores a changed refund, which the unit has locked before it decided on the change. */
  abstract change(unit: Unit, refund: Refund): void;
  /**
   * Locks a refund until the end of the unit. `now` is the time of the database, in milliseconds.
   * Refuses with not_found.
   */
  abstract lock(unit: Unit, id: OwnId): Promise<{ readonly refund: Refund; readonly now: number }>;
  abstract byReference(caller: Caller, reference: string): Promise<Refund | undefined>;
  /**
   * Finds the refund with this provider reference, unless it is canceled. If several have it, this
   * is one of the same amount and the same payment.
   */
  abstract byPayout(caller: Caller, payout: Payout): Promise<Refund | undefined>;
  /** Reads the refund as it is stored. Refuses with not_found. */
  abstract get(caller: Caller, id: OwnId): Promise<Refund>;
  /** Reads the refund as it is now, by the clock of its organization. Refuses with not_found. */
  abstract read(caller: Caller, id: OwnId): Promise<Refund>;
  /**
   * Locks the pending and succeeded refunds of a payment until the end of the unit, the oldest
   * first.
   */
  abstract lockOfPayment(unit: Unit, payment: OwnId): Promise<readonly Refund[]>;
  /** Lists the refunds of the caller's mode, the newest first. */
  abstract list(caller: Caller, filter: RefundFilter): Promise<Page<Refund>>;
  /** Lists the refunds of all organizations as they are now, the oldest first. */
  abstract listOfAll(ledger: Ledger, filter: RefundFilter): Promise<Page<Refund>>;
  /**
   * Finds the refunds that nobody approved in time, the longest overdue first, after the given one.
   * They are those of all organizations by real time or, with `clock`, those of its caller by the
   * moved clock.
   */
  abstract overdue(limit: number, after?: Refund, clock?: MovedClock): Promise<readonly Refund[]>;
}

export interface RefundFilter extends CreatedPageRequest {
  readonly payment: OwnId | undefined;
  readonly status: RefundStatus | undefined;
  readonly reference?: string | undefined;
  readonly onlyWaiting?: boolean;
  readonly organization?: string | undefined;
}

export abstract class Claims {
  /**
   * Finds up to `limit` organizations with claimable refunds in the order of their turns: the
   * organizations after `last` come first. `refunds` counts how many refunds one of them can get at
   * most. The last one may have none: then the next look goes on behind it.
   */
  abstract waiting(unit: LedgerUnit, last: string, limit: number): Promise<readonly RefundCount[]>;
  /**
   * Locks the given number of claimable refunds of each organization until the end of the unit.
   * Refunds that were never claimed come first, the oldest before the others; then come the others,
   * in the order in which they became claimable. Leaves out refunds that another transaction has
   * locked. `now` is the time of the database, in milliseconds.
   */
  abstract lock(
    unit: LedgerUnit,
    counts: readonly RefundCount[],
  ): Promise<{ readonly refunds: Refund[]; readonly now: number }>;
  abstract store(unit: LedgerUnit, claimed: readonly Refund[]): void;
}

export abstract class RefundEvents {
  /**
   * Records an event with the refund as the API shows it after the change. With a URL, the event is
   * also sent there.
   */
  abstract record(unit: Unit, event: RefundEvent, refund: Refund, notifyUrl: string | null): void;
}
