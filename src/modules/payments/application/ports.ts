import type { Caller, Ledger } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { PageRequest } from '../../../shared/page.js';
import type { Hold } from '../domain/hold.js';
import type { Mismatch, Payment, PaymentEvent } from '../domain/payment.js';

export abstract class Payments {
  /** Stale when another payment has its reference, or pays its session. */
  abstract add(caller: Caller, payment: Payment): Write;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<Payment | undefined>;
  /** In the caller's mode. */
  abstract byReference(caller: Caller, reference: string): Promise<Payment | undefined>;
  /** In the open transaction, to its end: nobody else changes the payment. In the caller's mode; refuses with not_found. */
  abstract lock(caller: Caller, id: string): Promise<Payment>;
  /** In the caller's mode, newest first: up to one more than the limit, to tell whether there are more. */
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
  /** With an organization, only if the payment is its. */
  abstract find(ledger: Ledger, id: string, organization?: string): Promise<OwnedPayment | undefined>;
  /** Newest first: up to one more than the limit, to tell whether there are more. */
  abstract list(ledger: Ledger, filter: LedgerPaymentFilter): Promise<OwnedPayment[]>;
}

/** What is held of payments, in the caller's mode. Amounts are in the minor unit of the payment's currency. */
export abstract class HeldAmounts {
  /** Reserves an amount for a refund that is pending. Stale when the payment no longer has that much left. */
  abstract reserve(caller: Caller, payment: string, amount: number): Write;
  abstract free(caller: Caller, payment: string, amount: number): Write;
  abstract refund(caller: Caller, payment: string, amount: number): Write;
  abstract takeBack(caller: Caller, payment: string, amount: number): Write;
  /** Puts an amount on hold. Stale when the payment no longer has that much left. */
  abstract hold(caller: Caller, payment: string, amount: number): Write;
  abstract release(caller: Caller, payment: string, amount: number): Write;
}

/** The holds on payments of the caller's organization, in the caller's mode. */
export abstract class Holds {
  abstract add(caller: Caller, hold: Hold): Write;
  /** Stores the release of a hold, whose payment is locked: nobody else releases it meanwhile. */
  abstract close(caller: Caller, hold: Hold): Write;
  /** Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<Hold>;
  /** Those on a payment, newest first: up to one more than the limit, to tell whether there are more. */
  abstract list(caller: Caller, payment: string, page: PageRequest): Promise<Hold[]>;
}

export interface OwnedHold {
  readonly organization: string;
  readonly hold: Hold;
}

/** The holds of every organization, in the ledger's mode. */
export abstract class LedgerHolds {
  /** With an organization, only if the hold is its. */
  abstract find(ledger: Ledger, id: string, organization?: string): Promise<OwnedHold | undefined>;
}

/** What was captured for a session, in the minor unit of its currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

export abstract class PaidSessions {
  /** What completes the session. Refuses as CompleteCheckoutSession does. */
  abstract complete(caller: Caller, id: string, captured: Captured): Promise<readonly Write[]>;
  /** Why a payment of this much does not complete the session, or null when it does. Refuses with not_found. */
  abstract mismatch(caller: Caller, id: string, captured: Captured): Promise<Mismatch | null>;
  /** Where webhooks about the session and its payment go, or null. */
  abstract notifyUrl(caller: Caller, id: string): Promise<string | null>;
}

export abstract class PaymentEvents {
  /** Records what happened to the payment, as the API shows it from now on, and sends it to the URL if there is one. */
  abstract record(caller: Caller, event: PaymentEvent, payment: Payment, notifyUrl: string | null): Write;
}

export abstract class KnownOrganizations {
  abstract has(id: string): Promise<boolean>;
}
