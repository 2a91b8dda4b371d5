/** Decides whether a claimed refund may be paid, or whether an earlier payout decides. */
import type { Lease } from './lease.js';
import { notThere, type Outcome, stuck, unknown } from './outcomes.js';
import type { ClaimedRefund, SettleOptions } from './settle.js';

/**
 * Providers forget idempotency keys after 24 hours: the same request would then be a second payout.
 */
const OLD_SECONDS = 12 * 3600;

export async function decide(
  refund: ClaimedRefund,
  lease: Lease,
  options: SettleOptions,
): Promise<Outcome> {
  const { pay, find, stuckAfter = 20 } = options;
  const { number } = refund.claim;
  const lost = lease.lost.signal;
  const mayBePaid = number > 1 || Date.now() / 1000 - refund.created > OLD_SECONDS;
  const found = mayBePaid ? await ask(find, refund, options, lost) : notThere();
  if (number > stuckAfter && (found.type === 'not_there' || found.type === 'unknown')) {
    return stuck(`It was claimed ${number} times, and the provider does not know it.`);
  }
  if (found.type !== 'not_there') return found;
  if (!lease.isHeld()) return unknown('The lease ended before the payout began.');
  const paid = await ask(pay, refund, options, lost);
  if (paid.type !== 'unknown') return paid;
  const sought = await ask(find, refund, options, lost);
  // The request may still be on its way, so the refund is neither released nor paid again before
  // its lease has run out.
  return sought.type === 'not_there' ? paid : sought;
}

/** An exception, a time-out and a lost claim are unknown outcomes. */
export async function ask<Refund, Answer>(
  question: (refund: Refund, signal: AbortSignal) => Promise<Answer>,
  refund: Refund,
  { timeoutSeconds = 30 }: SettleOptions,
  lost?: AbortSignal,
): Promise<Answer | ReturnType<typeof unknown>> {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  const signal = lost ? AbortSignal.any([lost, timeout]) : timeout;
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([ended, (async () => question(refund, signal))()]);
  } catch (error) {
    return unknown(String(error));
  }
}
