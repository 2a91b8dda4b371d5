import type { Caller, Ledger } from '../../../shared/caller.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { CreatedPageRequest, Page } from '../../../shared/page.js';
import type { Unit } from '../../../shared/unit.js';
import type { Hold, HoldStatus } from '../domain/hold.js';
import type { Payment, PaymentEvent, PaymentState } from '../domain/payment.js';

/**
 * A pending refund reserves its amount; one that was made elsewhere did not. `take_back`: the money
 * of a refund returned.
 */
export type AmountChange =
  | 'reserve'
  | 'free'
  | 'refund'
  | 'refund_unreserved'
  | 'take_back'
  | 'hold'
  | 'release';

export type RefundAmounts = Pick<PaymentState, 'amountRefunded' | 'amountPendingRefund'>;

export interface PaymentFilter extends CreatedPageRequest {
  readonly checkoutSession: OwnId | undefined;
}

export interface LedgerPaymentFilter extends PaymentFilter {
  readonly reference?: string | undefined;
  readonly organization?: string | undefined;
}

export abstract class Payments {
  /** Refuses with not_found on `param`, the parameter that held the ID. */
  abstract get(caller: Caller, id: OwnId, param?: string): Promise<Payment>;
  /** Locks a payment until the end of the unit. Refuses as `get` does. */
  abstract lock(unit: Unit, id: OwnId, param?: string): Promise<Payment>;
  abstract byReference(caller: Caller, reference: string): Promise<Payment | undefined>;
  /** Payments of the caller's mode, newest first. */
  abstract list(caller: Caller, filter: PaymentFilter): Promise<Page<Payment>>;
  /** Payments of all organizations, newest first. */
  abstract listOfAll(ledger: Ledger, filter: LedgerPaymentFilter): Promise<Page<Payment>>;
  /** Stale if another payment has the same reference or already pays the session. */
  abstract add(unit: Unit, payment: Payment): void;
  /**
   * Stale if the payment was redacted meanwhile, or if it no longer has as much left as is
   * reserved, held or refunded.
   */
  abstract changeAmount(unit: Unit, payment: Payment, change: AmountChange, amount: number): void;
  /** Stores what refunds hold of a payment that the unit has locked. */
  abstract restoreAmounts(unit: Unit, id: OwnId, amounts: RefundAmounts): void;
}

/** What is said about payments after they were redacted, to be forgotten later. */
export abstract class LaterDetails {
  /**
   * Remembers that something is said now. Does nothing for a payment that is not redacted, and is
   * stale if it was meanwhile.
   */
  abstract note(unit: Unit, payment: Payment): void;
  /** Whose payments have later details. */
  abstract owners(): Promise<readonly Caller[]>;
  /** Begins to forget what is so many days old, by the clock of the caller. */
  abstract begin(caller: Caller, days: number): Promise<void>;
  /**
   * Payments, after the given one, of which some details are still to be forgotten. Only this port
   * understands their IDs.
   */
  abstract unfinished(caller: Caller, limit: number, after?: string): Promise<readonly string[]>;
  /** Forgets all that was said about one so far. Can be interrupted, and repeated. */
  abstract forget(caller: Caller, payment: string): Promise<void>;
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
  /** Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<Hold>;
  abstract listOfAll(ledger: Ledger, filter: LedgerHoldFilter): Promise<Page<Hold>>;
}

export interface LedgerHoldFilter extends CreatedPageRequest {
  readonly payment: OwnId | undefined;
  readonly status?: HoldStatus | undefined;
  readonly organization?: string | undefined;
}
