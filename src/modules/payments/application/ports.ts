import type { Caller, Ledger } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { PageRequest } from '../../../shared/page.js';
import type { Hold } from '../domain/hold.js';
import type { Mismatch, Payment, PaymentEvent } from '../domain/payment.js';

export abstract class Payments {
  /** Stale if another payment has the same reference or already pays the session. */
  abstract add(caller: Caller, payment: Payment): Write;
  /** Finds a payment of the caller's organization in either mode. */
  abstract find(caller: Caller, id: string): Promise<Payment | undefined>;
  /** Finds a payment of the caller's mode. */
  abstract byReference(caller: Caller, reference: string): Promise<Payment | undefined>;
  /** Locks a payment of the caller's mode until the end of the open transaction. Refuses with not_found. */
  abstract lock(caller: Caller, id: string): Promise<Payment>;
  /** Payments of the caller's mode, newest first. One more than the limit, if there are more. */
  abstract list(caller: Caller, filter: PaymentFilter): Promise<Payment[]>;
}

export interface PaymentFilter extends PageRequest {
  readonly checkoutSession: string | undefined;
  /** Creation time in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export interface OwnedPayment {
  readonly organization: string;
  readonly payment: Payment;
}

export interface LedgerPaymentFilter extends PageRequest {
  readonly reference: string | undefined;
  readonly checkoutSession: string | undefined;
  readonly organization: string | undefined;
}

/** The payments of every organization, in the ledger's mode. */
export abstract class LedgerPayments {
  /** With `organization`, finds only a payment of that organization. */
  abstract find(ledger: Ledger, id: string, organization?: string): Promise<OwnedPayment | undefined>;
  /** Newest first. One more than the limit, if there are more. */
  abstract list(ledger: Ledger, filter: LedgerPaymentFilter): Promise<OwnedPayment[]>;
}

/** The amounts of payments that are reserved, refunded or on hold, in the minor unit of the payment's currency. */
export abstract class HeldAmounts {
  /** Reserves an amount for a pending refund. Stale if the payment no longer has that much left. */
  abstract reserve(caller: Caller, payment: string, amount: number): Write;
  abstract free(caller: Caller, payment: string, amount: number): Write;
  abstract refund(caller: Caller, payment: string, amount: number): Write;
  abstract takeBack(caller: Caller, payment: string, amount: number): Write;
  /** Puts an amount on hold. Stale if the payment no longer has that much left. */
  abstract hold(caller: Caller, payment: string, amount: number): Write;
  abstract release(caller: Caller, payment: string, amount: number): Write;
}

/** The holds on payments of the caller's organization, in the caller's mode. */
export abstract class Holds {
  abstract add(caller: Caller, hold: Hold): Write;
  /** Stores the release of a hold. Its payment must be locked, so that no other request releases it. */
  abstract close(caller: Caller, hold: Hold): Write;
  /** Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<Hold>;
  /** The holds on a payment, newest first. One more than the limit, if there are more. */
  abstract list(caller: Caller, payment: string, page: PageRequest): Promise<Hold[]>;
}

export interface OwnedHold {
  readonly organization: string;
  readonly hold: Hold;
}

/** The holds of every organization, in the ledger's mode. */
export abstract class LedgerHolds {
  /** With `organization`, finds only a hold of that organization. */
  abstract find(ledger: Ledger, id: string, organization?: string): Promise<OwnedHold | undefined>;
}

/** The amount captured for a session, in the minor unit of the currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

export abstract class PaidSessions {
  /** The writes that complete the session. Refuses as CompleteCheckoutSession does. */
  abstract complete(caller: Caller, id: string, captured: Captured): Promise<readonly Write[]>;
  /** Why a payment of this amount does not complete the session, or null if it does. Refuses with not_found. */
  abstract mismatch(caller: Caller, id: string, captured: Captured): Promise<Mismatch | null>;
  /** The URL to which webhooks about the session and its payment are sent, or null. */
  abstract notifyUrl(caller: Caller, id: string): Promise<string | null>;
}

export abstract class PaymentEvents {
  /** Records an event with the payment as the API shows it after the change. With a URL, the event is also sent there. */
  abstract record(caller: Caller, event: PaymentEvent, payment: Payment, notifyUrl: string | null): Write;
}

export abstract class KnownOrganizations {
  abstract has(id: string): Promise<boolean>;
}
