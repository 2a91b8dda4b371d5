/** These functions say what became of a refund at your payment provider, or in your own books. */

/** The money has left. `reference` is the provider's ID of the payout. */
export const succeeded = (reference?: string) => ({ type: 'succeeded', reference }) as const;

/** The money has not left and never will. The merchant reads the reason. */
export const failed = (reason: string) => ({ type: 'failed', reason }) as const;

/**
 * The provider has the payout and decides later, perhaps in days. The worker looks again by itself.
 */
export const submitted = (reference: string) => ({ type: 'submitted', reference }) as const;

/**
 * Certainly nothing was paid, for example because the balance was too low. Each further claim of
 * the refund doubles the wait, up to an hour.
 */
export const later = (seconds: number, why: string) => ({ type: 'later', seconds, why }) as const;

/**
 * The payment may have been carried out, because no answer came. Only `find` decides from then on.
 * An exception means the same.
 */
export const unknown = (why?: string) => ({ type: 'unknown', why }) as const;

/**
 * Neither program can decide, so a person has to, by `succeed` or `fail`. Until then the refund is
 * claimed again, at most once an hour.
 */
export const stuck = (why: string) => ({ type: 'stuck', why }) as const;

/** The provider certainly has no payout of this refund. */
export const notThere = () => ({ type: 'not_there' }) as const;

export type Outcome = ReturnType<
  | typeof succeeded
  | typeof failed
  | typeof submitted
  | typeof later
  | typeof unknown
  | typeof stuck
  | typeof notThere
>;
export type PayOutcome = Exclude<Outcome, { readonly type: 'not_there' }>;
/**
 * `later` is missing here: only a program that has just been refused knows that nothing was paid.
 */
export type FindOutcome = Exclude<Outcome, { readonly type: 'later' }>;
