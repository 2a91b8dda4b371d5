import type { Caller } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { Payment } from '../domain/payment.js';

/** The payments of the caller's organization. */
export abstract class Payments {
  /** Stale when another payment has its reference or its session. */
  abstract add(caller: Caller, payment: Payment): Write;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<Payment | undefined>;
  /** In the caller's mode. */
  abstract byReference(caller: Caller, reference: string): Promise<Payment | undefined>;
}

/** What refunds hold of payments, in the caller's mode. Amounts are in the minor unit of the payment's currency. */
export abstract class HeldAmounts {
  /** Holds an amount for a refund that is pending. Stale when the payment no longer has that much left. */
  abstract hold(caller: Caller, payment: string, amount: number): Write;
  /** Frees what was held. */
  abstract release(caller: Caller, payment: string, amount: number): Write;
  /** Counts what was held as refunded. */
  abstract refund(caller: Caller, payment: string, amount: number): Write;
}

export abstract class PaidSessions {
  /** What completes the session. Refuses as CompleteCheckoutSession does. */
  abstract complete(
    caller: Caller,
    id: string,
    captured: { amount: number; currency: string },
  ): Promise<readonly Write[]>;
  /** Where webhooks about the session and its payment go, or null. */
  abstract notifyUrl(caller: Caller, id: string): Promise<string | null>;
}

export abstract class KnownOrganizations {
  abstract has(id: string): Promise<boolean>;
}
