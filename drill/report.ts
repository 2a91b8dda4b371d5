import type { Journal } from './journal.js';
import type { Fate } from './plan.js';
import { type Books, RULES, type Rule, totals, violations } from './verdict.js';

interface Played {
  readonly seed: number;
  readonly refunds: number;
  readonly faults: Partial<Record<Fate, number>>;
  readonly kills: number;
}

export type Report = ReturnType<typeof reportOn>;

/** For each broken rule, how many refunds broke it and the shortest of their histories. */
export function reportOn(books: Books, journal: Journal, played: Played) {
  const byRule = Map.groupBy(violations(books), ({ rule }) => rule);
  const rules = (Object.keys(RULES) as Rule[]).filter((rule) => byRule.has(rule));
  const broken = rules.map((rule) => {
    const histories = (byRule.get(rule) ?? []).map(({ refund }) => ({ refund, history: journal.history(refund) }));
    const [shortest] = histories.toSorted((one, other) => one.history.length - other.history.length);
    return { rule, sentence: RULES[rule], refunds: histories.length, ...shortest };
  });
  return { passed: broken.length === 0, ...played, totals: totals(books), broken };
}

export function asText({ passed, seed, refunds, totals, faults, kills, broken }: Report): string {
  const met = Object.entries({ ...faults, 'kill -9': kills }).map(([fault, count]) => `${count} × ${fault}`);
  const currencies = Object.keys({ ...totals.provider, ...totals.tillgate }).sort();
  const amounts = currencies.map((currency) => {
    const [paid = 0, booked = 0] = [totals.provider[currency], totals.tillgate[currency]];
    const difference = paid === booked ? 'equal' : `difference ${paid - booked}`;
    return `  ${currency}  ${paid} paid by the provider, ${booked} succeeded in Tillgate: ${difference}`;
  });
  const rules = broken.flatMap(({ sentence, refunds, refund, history }) => [
    '',
    `${refunds} of the refunds: ${sentence}`,
    `The shortest history, of ${refund}:`,
    ...(history ?? []).map((line) => `  ${line}`),
  ]);
  const verdict = passed ? 'PASSED: every refund was paid once or not at all, and Tillgate says which.' : 'FAILED';
  const lines = [
    `${verdict}`,
    `${refunds} refunds, seed ${seed}; ${met.join(', ')}.`,
    'In minor units:',
    ...amounts,
    ...rules,
  ];
  return `${lines.join('\n')}\n`;
}
