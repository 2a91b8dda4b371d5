import { isSamePerson } from '../../src/shared/nickname.js';

interface Proposed {
  readonly state: string;
  readonly proposed_by: { readonly holder: string } | null;
}

/**
 * Tells whether somebody else than the agent proposed the refund, as far as its approval shows.
 * Tillgate compares holders in the same way.
 */
export function isOfOther({ state, proposed_by }: Proposed, holder: string | undefined): boolean {
  // A refund that the agent's key proposes always waits for approval.
  if (state === 'not_needed') return true;
  if (holder === undefined) return false;
  return proposed_by === null || !isSamePerson(proposed_by.holder, holder);
}
