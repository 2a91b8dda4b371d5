/** Compares the provider's book with Tillgate's refunds, and names the rule that was broken. */
import type { Json } from './api.js';
import type { Payout } from './provider.js';
import type { Course } from './scenes.js';

/**
 * Each rule is a sentence on which the author of a worker can act. The first rule that a refund
 * breaks is the one that is named.
 */
export const RULES = {
  amount:
    'The payout had another amount or currency than the refund. Pay exactly the amount and currency that the claim shows.',
  unapproved:
    'A refund was paid that nobody had approved. Pay only what a claim gives you: a refund whose approval is waiting is in no claim.',
  'shared key':
    'An idempotency key was used for two refunds. Use the refund’s id as the key: payment, amount and reference may be the same in another one.',
  'new key':
    'A refund was paid twice, under two idempotency keys. Use the refund’s id as the key of every attempt, and never make a new one.',
  'paid again':
    'A refund was paid twice under the same key, which the provider had forgotten. Before you pay a refund of claim 2 or above, look at the provider for a payout with its id, on each page of the list, and wait if it does not answer.',
  organization:
    'A call about a refund named another organization than its own. A ledger key acts for all organizations: name the one that the claim shows, or none.',
  'no time-out':
    'A call that was never answered was still open after a minute, or after --patience. Give each call a time-out, and go on as after a lost answer.',
  repeated:
    'The same refused call was sent more than twenty times in a row. A refusal (400 to 499, other than 409 and 429) does not change by itself: leave the refund, and claim again.',
  'claim number':
    'A worker reported with the number of a claim that was not its own, or with none. Send the number that your claim gave you; after refund_claimed, leave the refund alone.',
  reference:
    'A report named a payout that is not one of the refund. Find its payout by the refund’s id, never by the amount, and send the id of that one as provider_reference, or none.',
  'released while pending':
    'A refund was released while its payout was pending. Extend its claim instead, with the id of the payout, and look at the provider when you are given it again.',
  released:
    'A refund was released although its payout was made, or was still on its way. No answer, an error of 500 or above and a look that finds nothing are no refusal: report nothing, and look at the provider at the next claim.',
  'failed though paid':
    'A refund failed in Tillgate, and the provider paid it. A time-out, a lost answer, an error of 500 or above and a pending payout are no refusal: report nothing, and look at the provider at the next claim.',
  'failed unrefused':
    'A refund failed in Tillgate, and the provider has not refused it for good. Release a refund that cannot be paid now, or was not asked for, and try again.',
  'canceled though paid':
    'A refund was canceled by the merchant, and the provider paid it. Pay only under a claim that is still yours: extend it first if the refund had to wait. Release a refund only if nothing can have been paid.',
  'succeeded unpaid':
    'A refund was reported as succeeded, and the provider had not paid it. Report succeed only when the provider says succeeded of a payout with the refund’s id; a pending payout is not paid.',
  returned:
    'A payout came back, and the refund is still succeeded in Tillgate. Ask the provider for what was returned, and report it with return.',
  stuck:
    'A worker that was alone, and that nobody had killed, stood still, and the refund is open. Go on with the next refund whatever a call brings.',
  submitted:
    'A payout was pending when it was made, and the refund is still pending in Tillgate. Extend its claim, and look at the provider when you are given it again.',
  unreported:
    'The provider has decided a payout, and the refund is still pending in Tillgate. Report the outcome again until it is answered.',
  unpaid:
    'A refund is still pending, and the provider has no payout of it. Claim until nothing is left, and pay under each claim what the provider does not have, whatever was refused or lost before, and whatever your clock says of the lease.',
} as const;

export type Rule = keyof typeof RULES;

/**
 * These rules are broken only if the refund is still so at the end, because it may become right
 * before.
 */
const MENDED: readonly Rule[] = ['returned', 'submitted', 'unreported', 'unpaid'];

export interface Violation {
  readonly refund: string;
  readonly rule: Rule;
  /** True if time does not mend it. */
  readonly lasts: boolean;
}

export interface Books {
  readonly refunds: readonly Json[];
  readonly payouts: readonly Payout[];
  /** The rules that were seen broken during the drill. */
  readonly seen: ReadonlyMap<string, ReadonlySet<Rule>>;
  readonly courseOf: (refund: string) => Course | undefined;
}

export function violations({ refunds, payouts, seen, courseOf }: Books): Violation[] {
  const made = Map.groupBy(payouts, ({ refund }) => refund);
  const inDashboard = new Map((made.get(null) ?? []).map((payout) => [payout.id, payout]));
  return refunds.flatMap((refund) => {
    const broken = new Set(seen.get(refund.id));
    const elsewhere = inDashboard.get(refund.provider_reference);
    const own = elsewhere ? [elsewhere] : (made.get(refund.id) ?? []);
    const found = ruleOf(refund, own, courseOf(refund.id));
    if (found) broken.add(found);
    const rule = ORDER.find((one) => broken.has(one));
    if (!rule) return [];
    const wasSeen = seen.get(refund.id)?.has(rule) === true;
    return [{ refund: refund.id as string, rule, lasts: wasSeen || !MENDED.includes(rule) }];
  });
}

const ORDER = Object.keys(RULES) as Rule[];

/** Returns the violations that time does not mend. */
export const lasting = (all: readonly Violation[]): Violation[] => all.filter(({ lasts }) => lasts);

function ruleOf(
  refund: Json,
  payouts: readonly Payout[],
  course: Course | undefined,
): Rule | undefined {
  const moved = payouts.filter(({ status }) => status !== 'failed');
  const [first] = moved;
  if (
    payouts.some(({ amount, currency }) => amount !== refund.amount || currency !== refund.currency)
  )
    return 'amount';
  if (moved.length > 1)
    return moved.every(({ key }) => key === first?.key) ? 'paid again' : 'new key';
  const isPaid = first?.status === 'succeeded' || first?.status === 'pending';
  if (refund.status === 'failed' && isPaid) return 'failed though paid';
  if (refund.status === 'failed' && payouts.length === 0 && course !== 'declines')
    return 'failed unrefused';
  if (refund.status === 'canceled' && isPaid) return 'canceled though paid';
  if (refund.status === 'succeeded' && first?.status === 'returned') return 'returned';
  if (refund.status === 'succeeded' && first?.status !== 'succeeded') return 'succeeded unpaid';
  if (refund.status !== 'pending') return undefined;
  if (payouts.length === 0) return refund.approval === 'waiting' ? undefined : 'unpaid';
  return course?.endsWith('days later') ? 'submitted' : 'unreported';
}

export interface Report {
  readonly name: string;
  /** The provider_reference of the report. */
  readonly reference: unknown;
}

/** Holds what the provider has of a refund when a report of it is accepted. */
export interface Known {
  readonly payouts: readonly Payout[];
  readonly isOnTheWay: boolean;
  readonly isDeclined: boolean;
}

/** Returns the rules that an accepted report breaks. A true report that came late breaks none. */
export function untruths(
  { name, reference }: Report,
  { payouts, isOnTheWay, isDeclined }: Known,
): Rule[] {
  const has = (...statuses: Payout['status'][]) =>
    payouts.some(({ status }) => statuses.includes(status));
  const mayBePaid = isOnTheWay || has('pending', 'succeeded');
  const isUnrefused = !isDeclined && !has('failed', 'returned');
  const isAnother = typeof reference === 'string' && !payouts.some(({ id }) => id === reference);
  const broken: Partial<Record<Rule, boolean>> = {
    reference: isAnother,
    'released while pending': name === 'release' && has('pending'),
    released: name === 'release' && mayBePaid,
    'failed though paid': ['fail', 'return'].includes(name) && mayBePaid,
    'failed unrefused': ['fail', 'return'].includes(name) && !mayBePaid && isUnrefused,
    'succeeded unpaid': name === 'succeed' && !has('succeeded', 'returned'),
  };
  return ORDER.filter((rule) => broken[rule]);
}

/**
 * Adds what the provider paid out for good, and what Tillgate has as succeeded, by currency, in
 * minor units.
 */
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
