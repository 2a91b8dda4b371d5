import type { KeptAnswer } from '../../../shared/answer.js';
import type { Caller } from '../../../shared/caller.js';
import type { PageRequest } from '../../../shared/page.js';
import type { CheckoutSession, CheckoutSessionSummary, SessionStatus } from '../domain/checkout-session.js';

export interface CheckoutSessionFilter extends PageRequest {
  readonly status: SessionStatus | undefined;
  /** Creation time in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The sessions of the caller's organization. Past its time, a session is found as expired, by the database's clock. */
export abstract class CheckoutSessions {
  /** Stores the session and the kept answer together. Fails when the idempotency key is taken. */
  abstract add(caller: Caller, session: CheckoutSession, kept: KeptAnswer): Promise<void>;
  /** In either mode: reads are scoped to the organization. */
  abstract find(caller: Caller, id: string): Promise<CheckoutSession | undefined>;
  /** The notify_url of a session of the caller's mode, or null. */
  abstract notifyUrl(caller: Caller, id: string): Promise<string | null>;
  /** Like find, but in the caller's mode only, and nobody else changes it before the open transaction ends. */
  abstract lock(caller: Caller, id: string): Promise<CheckoutSession | undefined>;
  /** Stores the outcome of a session that was open. Returns false, changing nothing, if it no longer was. */
  abstract settle(caller: Caller, session: CheckoutSession): Promise<boolean>;
  /** Stores up to `limit` sessions of anyone whose time is over as expired, and returns how many. */
  abstract settleExpired(limit: number): Promise<number>;
  /** In the caller's mode, newest first: up to one more than the limit, to tell whether there are more. */
  abstract list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]>;
}
