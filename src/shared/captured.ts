/** The amount captured for a checkout session, in the minor unit of the currency. */
export interface Captured {
  readonly amount: number;
  readonly currency: string;
}

/** What to do with an amount that does not pay its session. `record` exists because the money was captured all the same. */
export const ON_MISMATCH = ['refuse', 'record'] as const;
export type OnMismatch = (typeof ON_MISMATCH)[number];
