import type { Caller, Ledger } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { PageRequest } from '../../../shared/page.js';
import type { Refund, RefundablePayment, RefundEvent, RefundStatus } from '../domain/refund.js';

export abstract class Refunds {
  abstract add(caller: Caller, refund: Refund): Write;
  /** Stores what became of a refund. Stale when it is not as it was before: of two changes at once, one is stored. */
  abstract change(caller: Caller, before: Refund, after: Refund): Write;
  /** In the open transaction, to its end: nobody else changes the refund. In the caller's mode; refuses with not_found. */
  abstract lock(caller: Caller, id: string): Promise<Refund>;
  /** In the open transaction: the lease of a locked refund ends so many seconds from now, unless it ends later. */
  abstract extend(caller: Caller, refund: Refund, leaseSeconds: number): Promise<Refund>;
  /** In the caller's mode. Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<Refund>;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<Refund | undefined>;
  /** In the caller's mode, newest first: up to one more than the limit, to tell whether there are more. */
  abstract list(caller: Caller, filter: RefundFilter): Promise<Refund[]>;
}

export interface RefundFilter extends PageRequest {
  readonly payment: string | undefined;
  readonly status: RefundStatus | undefined;
  /** Creation time in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export interface OwnedRefund {
  readonly organization: string;
  readonly refund: Refund;
}

export interface LedgerRefundFilter extends PageRequest {
  readonly status: RefundStatus;
  readonly organization: string | undefined;
}

export interface Claim {
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly organization: string | undefined;
}

/** The refunds of every organization, in the ledger's mode. */
export abstract class LedgerRefunds {
  /** With an organization, only if the refund is its. */
  abstract find(ledger: Ledger, id: string, organization?: string): Promise<OwnedRefund | undefined>;
  /**
   * In the open transaction: takes up to `limit` pending refunds that are under no claim, or whose lease is over, which
   * nobody else gets before the new lease ends. Those whose lease is over first, then the oldest; returned oldest first.
   */
  abstract claim(ledger: Ledger, claim: Claim): Promise<OwnedRefund[]>;
  /** Oldest first: up to one more than the limit, to tell whether there are more. */
  abstract list(ledger: Ledger, filter: LedgerRefundFilter): Promise<OwnedRefund[]>;
}

export abstract class RefundablePayments {
  /** In the caller's mode. Refuses with not_found on `payment`, or payment_not_refundable when nothing is left of it. */
  abstract get(caller: Caller, id: string): Promise<RefundablePayment & Notified>;
  /** Where webhooks about the refund go, or null. */
  abstract notifyUrl(caller: Caller, refund: Refund): Promise<string | null>;
  /** Reserves the amount of a refund that is proposed. Stale when the payment no longer has that much left. */
  abstract reserve(caller: Caller, refund: Refund): Write;
  /** Frees the amount of a refund that is not to be. */
  abstract free(caller: Caller, refund: Refund): Write;
  /** Counts the amount of a refund that succeeded as refunded. */
  abstract refund(caller: Caller, refund: Refund): Write;
  /** Frees the amount of a refund that succeeded and came back. */
  abstract takeBack(caller: Caller, refund: Refund): Write;
}

interface Notified {
  readonly notifyUrl: string | null;
}

export abstract class RefundEvents {
  /** Records what happened to the refund, as the API shows it from now on, and sends it to the URL if there is one. */
  abstract record(caller: Caller, event: RefundEvent, refund: Refund, notifyUrl: string | null): Write;
}
