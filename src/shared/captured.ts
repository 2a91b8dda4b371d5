/** This amount was captured for a checkout session. It is in the minor unit of the currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

/** A captured amount does not pay its session for one of these reasons. */
export const MISMATCHES = {
  session_expired: 'the session had expired',
  session_complete: 'the session was complete',
  amount: 'the session asks for another amount',
  currency: 'the session asks for another currency',
};
export type Mismatch = keyof typeof MISMATCHES;

/**
 * An amount that does not pay its session is refused or recorded. `record` exists because the money
 * was captured all the same.
 */
export const ON_MISMATCH = ['refuse', 'record'] as const;
export type OnMismatch = (typeof ON_MISMATCH)[number];
