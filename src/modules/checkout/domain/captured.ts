/** This amount was captured for a checkout session. It is in the minor unit of the currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

/** A captured amount does not pay its session for one of these reasons. */
export type Mismatch = 'session_expired' | 'session_complete' | 'amount' | 'currency';

/**
 * An amount that does not pay its session is refused or recorded. `record` exists because the money
 * was captured all the same.
 */
export const ON_MISMATCH = ['refuse', 'record'] as const;
export type OnMismatch = (typeof ON_MISMATCH)[number];
