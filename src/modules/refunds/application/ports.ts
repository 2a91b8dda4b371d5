import type { KeptAnswer } from '../../../shared/answer.js';
import type { Caller, Ledger } from '../../../shared/caller.js';
import type { PageRequest } from '../../../shared/page.js';
import type { Refund, RefundablePayment, RefundStatus } from '../domain/refund.js';

/** The refunds of the caller's organization. */
export abstract class Refunds {
  /**
   * Stores a proposal, holds its amount and keeps the answer, together. Returns false, changing nothing, when the
   * payment no longer has that much left. Fails when the idempotency key is taken.
   */
  abstract add(caller: Caller, refund: Refund, kept: KeptAnswer): Promise<boolean>;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<Refund | undefined>;
  /**
   * Stores the outcome of a refund that was pending and accounts its amount, together. Returns false, changing nothing,
   * if it no longer was: of two outcomes at once, one is stored.
   */
  abstract settle(caller: Caller, refund: Refund): Promise<boolean>;
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

/** A refund and whose it is: the ledger works for every organization. */
export interface OwnedRefund {
  readonly organization: string;
  readonly refund: Refund;
}

export interface LedgerRefundFilter extends PageRequest {
  readonly status: RefundStatus;
  readonly organization: string | undefined;
}

/** The refunds of every organization, in the ledger's mode. */
export abstract class LedgerRefunds {
  abstract find(ledger: Ledger, id: string): Promise<OwnedRefund | undefined>;
  /** Oldest first: up to one more than the limit, to tell whether there are more. */
  abstract list(ledger: Ledger, filter: LedgerRefundFilter): Promise<OwnedRefund[]>;
}

export abstract class RefundablePayments {
  /** In the caller's mode. Refuses with not_found on `payment`. */
  abstract get(caller: Caller, id: string): Promise<RefundablePayment>;
}
