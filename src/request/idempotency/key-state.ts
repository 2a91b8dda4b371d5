import type { IdempotentResponse } from '../response.js';
import type { Claim } from './stored-responses.js';

/** This is the state of an idempotency key, as far as a request knows it. */
export type KeyState =
  /** Nothing is known: the request may write, and its row decides. */
  | { readonly is: 'free' }
  /** Another request of this process runs under the key. */
  | { readonly is: 'running'; readonly outcome: Promise<IdempotentResponse> }
  | { readonly is: 'stored'; readonly response: IdempotentResponse }
  /**
   * The row of the key was there, and is not valid any more. `before` counts how often that was so.
   */
  | { readonly is: 'expired'; readonly before: number }
  /** Another request has been writing the row of the key for longer than this one waits. */
  | { readonly is: 'locked' };

export type Step =
  | 'write'
  | 'wait'
  | 'answer'
  | 'replay'
  | 'forget'
  | 'refuse_in_use'
  | 'refuse_reused';

/**
 * Returns what a request does next. A key that expires between the write and the look-up is tried
 * once more, because that does not happen twice in a row.
 */
export function nextStep(state: KeyState, { fingerprint }: Pick<Claim, 'fingerprint'>): Step {
  switch (state.is) {
    case 'free':
      return 'write';
    case 'running':
      return 'wait';
    case 'expired':
      return state.before === 0 ? 'forget' : 'refuse_in_use';
    case 'locked':
      return 'refuse_in_use';
    case 'stored':
      if (!state.response.fingerprint?.equals(fingerprint)) return 'refuse_reused';
      return state.response.replayed ? 'replay' : 'answer';
  }
}
