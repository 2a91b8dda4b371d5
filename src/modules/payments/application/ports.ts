import type { Caller, Ledger } from '../../../shared/caller.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CreatedPageRequest, Page } from '../../../shared/page.js';
import type { Unit } from '../../../shared/unit.js';
import type { Hold, HoldStatus } from '../domain/hold.js';
import type { AmountChange, Payment, PaymentEvent, PaymentState } from '../domain/payment.js';

export type RefundAmounts = Pick<PaymentState, 'amountRefunded' | 'amountPendingRefund'>;

export interface PaymentFilter extends CreatedPageRequest {
  readonly checkoutSession: OwnId | undefined;
}

export interface LedgerPaymentFilter extends PaymentFilter {
  readonly reference?: string | undefined;
  readonly organization?: string | undefined;
}

export abstract class Payments {
  /** Reads a payment. Refuses with not_found on `param`, the parameter that held the ID. */
  abstract get(caller: Caller, id: OwnId, param?: string): Promise<Payment>;
  /** Locks a payment until the end of the unit. Refuses as `get` does. */
  abstract lock(unit: Unit, id: OwnId, param?: string): Promise<Payment>;
  abstract byReference(caller: Caller, reference: string): Promise<Payment | undefined>;
  /** Lists the payments of the caller's mode, the newest first. */
  abstract list(caller: Caller, filter: PaymentFilter): Promise<Page<Payment>>;
  /** Lists the payments of all organizations, the newest first. */
  abstract listOfAll(ledger: Ledger, filter: LedgerPaymentFilter): Promise<Page<Payment>>;
  /**
   * Stores a new payment. Throws Stale if another payment has the same reference or already pays
   * the session.
   */
  abstract add(unit: Unit, payment: Payment): void;
  /**
   * Adds the amount to a sum of the payment. Throws Stale if the payment was redacted meanwhile, or
   * if it no longer has as much left as is reserved, held or refunded.
   */
  abstract changeAmount(unit: Unit, payment: Payment, change: AmountChange, amount: number): void;
  /** Stores the sums of refunds of a payment that the unit has locked. */
  abstract restoreAmounts(unit: Unit, id: OwnId, amounts: RefundAmounts): void;
}

/**
 * Details can be written about payments after they were redacted. This port remembers such details
 * and forgets them later.
 */
export abstract class LaterDetails {
  /**
   * Remembers that a detail is written now. Does nothing for a payment that is not redacted, and
   * throws Stale if it was redacted meanwhile.
   */
  abstract note(unit: Unit, payment: Payment): void;
  /** Lists the callers that have payments with later details. */
  abstract owners(): Promise<readonly Caller[]>;
  /** Begins to forget details that are so many days old, by the clock of the caller. */
  abstract begin(caller: Caller, days: number): Promise<void>;
  /**
   * Lists payments, after the given one, that still have details to be forgotten. Only this port
   * understands their IDs.
   */
  abstract unfinished(caller: Caller, limit: number, after?: string): Promise<readonly string[]>;
  /**
   * Forgets all details written about a payment so far. It can be repeated, and throws before it is
   * done if the signal is aborted.
   */
  abstract forget(caller: Caller, payment: string, signal?: AbortSignal): Promise<void>;
}

export abstract class PaymentEvents {
  /**
   * Records an event with the payment as the API shows it after the change. It is also sent to its
   * notify URL, if any.
   */
  abstract record(unit: Unit, event: PaymentEvent, payment: Payment): void;
}

export abstract class Holds {
  abstract add(unit: Unit, hold: Hold): void;
  /**
   * Stores the release of a hold. Its payment must be locked, so that no other request releases it.
   */
  abstract close(unit: Unit, hold: Hold): void;
  /** Reads a hold. Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<Hold>;
  abstract listOfAll(ledger: Ledger, filter: LedgerHoldFilter): Promise<Page<Hold>>;
}

export interface LedgerHoldFilter extends CreatedPageRequest {
  readonly payment: OwnId | undefined;
  readonly status?: HoldStatus | undefined;
  readonly organization?: string | undefined;
}
