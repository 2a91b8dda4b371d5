import type { KeptAnswer } from '../../../shared/answer.js';
import type { Caller } from '../../../shared/caller.js';
import type { Refund, RefundablePayment } from '../domain/refund.js';

/** The refunds of the caller's organization. */
export abstract class Refunds {
  /**
   * Stores a proposal, holds its amount and keeps the answer, together. Returns false, changing nothing, when the
   * payment no longer has that much left. Fails when the idempotency key is taken.
   */
  abstract add(caller: Caller, refund: Refund, kept: KeptAnswer): Promise<boolean>;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<Refund | undefined>;
}

export abstract class RefundablePayments {
  /** In the caller's mode. Refuses with not_found on `payment`. */
  abstract get(caller: Caller, id: string): Promise<RefundablePayment>;
}
