/** Holds the provider's book to Tillgate's refunds, and names the rule that was broken. */
import type { Json } from './api.js';
import type { Course } from './plan.js';
import type { Payout } from './provider.js';

/** Each in a sentence on which the author of a worker can act. The first that fits a refund is the one that is named. */
export const RULES = {
  amount:
    'The payout had another amount or currency than the refund. Pay exactly the amount and currency that the claim shows.',
  'new key':
    'A refund was paid twice, under two idempotency keys. Use the refund’s id as the key of every attempt, and never make a new one.',
  'paid again':
    'A refund was paid twice under the same key, which the provider had forgotten. Before you pay a refund of claim 2 or above, look at the provider for a payout with its id.',
  'claim number':
    'A worker reported with the number of a claim that was not its own, or with none. Send the number that your claim gave you; after refund_claimed, leave the refund alone.',
  'failed though paid':
    'A refund failed in Tillgate, and the provider paid it. A time-out or a lost answer is no refusal: report nothing, and look at the provider at the next claim.',
  'failed unrefused':
    'A refund failed in Tillgate, and the provider has not refused it for good. Release a refund that cannot be paid now, or was not asked for, and try again.',
  'canceled though paid':
    'A refund was canceled by the merchant, and the provider paid it. Pay only under a claim that is still yours: extend it first if the refund had to wait. Release a refund only if nothing can have been paid.',
  'succeeded unpaid':
    'A refund succeeded in Tillgate, and the provider did not pay it. Report succeed only when the provider says succeeded; a pending payout is not paid.',
  returned:
    'A payout came back, and the refund is still succeeded in Tillgate. Ask the provider for what was returned, and report it with return.',
  submitted:
    'A payout was pending when it was made, and the refund is still pending in Tillgate. Extend its claim, and look at the provider when you are given it again.',
  unreported:
    'The provider has decided a payout, and the refund is still pending in Tillgate. Report the outcome again until it is answered.',
  unpaid:
    'A refund is still pending, and the provider was never asked for good. Claim until nothing is left, and try again what was refused for now.',
} as const;

export type Rule = keyof typeof RULES;

export interface Violation {
  readonly refund: string;
  readonly rule: Rule;
}

export interface Books {
  readonly refunds: readonly Json[];
  readonly payouts: readonly Payout[];
  readonly misused: ReadonlySet<string>;
  readonly courseOf: (refund: string) => Course | undefined;
}

export function violations({ refunds, payouts, misused, courseOf }: Books): Violation[] {
  const made = Map.groupBy(payouts, ({ refund }) => refund);
  return refunds.flatMap((refund) => {
    const ofRefund = made.get(refund.id) ?? [];
    const rule = ruleOf(refund, ofRefund, { isMisused: misused.has(refund.id), course: courseOf(refund.id) });
    return rule ? [{ refund: refund.id as string, rule }] : [];
  });
}

type Facts = { readonly isMisused: boolean; readonly course: Course | undefined };

function ruleOf(refund: Json, payouts: readonly Payout[], { isMisused, course }: Facts): Rule | undefined {
  const moved = payouts.filter(({ status }) => status !== 'failed');
  const [first] = moved;
  if (payouts.some(({ amount, currency }) => amount !== refund.amount || currency !== refund.currency)) return 'amount';
  if (moved.length > 1) return moved.every(({ key }) => key === first?.key) ? 'paid again' : 'new key';
  if (isMisused) return 'claim number';
  const isPaid = first?.status === 'succeeded' || first?.status === 'pending';
  if (refund.status === 'failed' && isPaid) return 'failed though paid';
  if (refund.status === 'failed' && payouts.length === 0 && course !== 'declines') return 'failed unrefused';
  if (refund.status === 'canceled' && isPaid) return 'canceled though paid';
  if (refund.status === 'succeeded' && first?.status === 'returned') return 'returned';
  if (refund.status === 'succeeded' && first?.status !== 'succeeded') return 'succeeded unpaid';
  if (refund.status !== 'pending') return undefined;
  if (payouts.length === 0) return 'unpaid';
  return course?.endsWith('days later') ? 'submitted' : 'unreported';
}

/** What the provider paid out for good, and what Tillgate has as succeeded, by currency, in minor units. */
export function totals({ refunds, payouts }: Pick<Books, 'refunds' | 'payouts'>) {
  const sum = (ones: readonly { status: string; currency: string; amount: number }[]) => {
    const sums: Record<string, number> = {};
    for (const { status, currency, amount } of ones) {
      if (status === 'succeeded') sums[currency] = (sums[currency] ?? 0) + amount;
    }
    return sums;
  };
  return { provider: sum(payouts), tillgate: sum(refunds as readonly Payout[]) };
}
