import type { Caller, Ledger } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { PageRequest } from '../../../shared/page.js';
import type { Refund, RefundablePayment, RefundEvent, RefundStatus } from '../domain/refund.js';

export abstract class Refunds {
  abstract add(caller: Caller, refund: Refund): Write;
  /** Stores `after`. Stale unless the stored refund is still `before`: of two changes at once, one is stored. */
  abstract change(caller: Caller, before: Refund, after: Refund): Write;
  /** Locks a refund of the caller's mode until the end of the open transaction. Refuses with not_found. */
  abstract lock(caller: Caller, id: string): Promise<Refund>;
  /** Moves the end of a locked refund's lease to `leaseSeconds` from now, unless it already ends later. */
  abstract extend(caller: Caller, refund: Refund, leaseSeconds: number): Promise<Refund>;
  /** Finds a refund of the caller's mode. Refuses with not_found. */
  abstract get(caller: Caller, id: string): Promise<Refund>;
  /** Finds a refund of the caller's organization in either mode. */
  abstract find(caller: Caller, id: string): Promise<Refund | undefined>;
  /** Refunds of the caller's mode, newest first. One more than the limit, if there are more. */
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
  /** With `organization`, finds only a refund of that organization. */
  abstract find(ledger: Ledger, id: string, organization?: string): Promise<OwnedRefund | undefined>;
  /**
   * Claims up to `limit` pending refunds without a live claim, in the open transaction: first those whose lease has ended,
   * then the oldest. No other claim gets them before the new lease ends. Returns them oldest first.
   */
  abstract claim(ledger: Ledger, claim: Claim): Promise<OwnedRefund[]>;
  /** Oldest first. One more than the limit, if there are more. */
  abstract list(ledger: Ledger, filter: LedgerRefundFilter): Promise<OwnedRefund[]>;
}

export abstract class RefundablePayments {
  /** Finds a payment of the caller's mode. Refuses with not_found on `payment`, or payment_not_refundable if nothing is left of it. */
  abstract get(caller: Caller, id: string): Promise<RefundablePayment & Notified>;
  /** The URL to which webhooks about the refund are sent, or null. */
  abstract notifyUrl(caller: Caller, refund: Refund): Promise<string | null>;
  /** Reserves the amount of a proposed refund. Stale if the payment no longer has that much left. */
  abstract reserve(caller: Caller, refund: Refund): Write;
  /** Frees the reserved amount of a failed or canceled refund. */
  abstract free(caller: Caller, refund: Refund): Write;
  /** Turns the reserved amount of a succeeded refund into a refunded amount. */
  abstract refund(caller: Caller, refund: Refund): Write;
  /** Frees the refunded amount of a refund whose money came back. */
  abstract takeBack(caller: Caller, refund: Refund): Write;
}

interface Notified {
  readonly notifyUrl: string | null;
}

export abstract class RefundEvents {
  /** Records an event with the refund as the API shows it after the change. With a URL, the event is also sent there. */
  abstract record(caller: Caller, event: RefundEvent, refund: Refund, notifyUrl: string | null): Write;
}
