import type { Journal } from './journal.js';
import type { Course, Fate, PlannedRefund } from './scenes.js';
import { type Books, lasting, RULES, type Rule, totals, violations } from './verdict.js';

interface Played {
  readonly seed: number;
  readonly refunds: number;
  readonly faults: Partial<Record<Fate, number>>;
  readonly kills: number;
  /** The parts of the plan that did not happen, so that nothing is known about them. */
  readonly unmet: readonly (Fate | Course)[];
  /** Counts the refunds that have met a fault, and those whose first payout has one in the plan. */
  readonly met: number;
  readonly faulty: number;
  /** Says why the drill ended early, or is null. */
  readonly stopped: string | null;
}

export type Report = ReturnType<typeof reportOn>;

/** Reports for each broken rule how many refunds broke it, and the shortest of their histories. */
export function reportOn(books: Books, journal: Journal, played: Played) {
  const all = violations(books);
  const byRule = Map.groupBy(played.stopped === null ? all : lasting(all), ({ rule }) => rule);
  const rules = (Object.keys(RULES) as Rule[]).filter((rule) => byRule.has(rule));
  const broken = rules.map((rule) => {
    const histories = (byRule.get(rule) ?? []).map(({ refund }) => ({
      refund,
      history: journal.history(refund),
    }));
    const [shortest] = histories.toSorted(
      (one, other) => one.history.length - other.history.length,
    );
    return { rule, sentence: RULES[rule], refunds: histories.length, ...shortest };
  });
  const isTested = 2 * played.met >= played.faulty;
  const passed = broken.length === 0 && played.stopped === null && isTested;
  return { passed, ...played, open: openIn(books), totals: totals(books), broken };
}

export const openIn = (books: Pick<Books, 'refunds'>) =>
  books.refunds.filter(({ status }) => status === 'pending').length;

/** Returns the refunds that a worker can decide, because nobody has to approve them first. */
export const openOf = ({ refunds }: Pick<Books, 'refunds'>) =>
  refunds.filter(({ status, approval }) => status === 'pending' && approval !== 'waiting');

/**
 * Returns the refunds that time does not decide, because no payout of them is known to be under
 * way.
 */
export const urgentOf = (books: Pick<Books, 'refunds'>) =>
  openOf(books).filter(({ provider_reference: payout }) => payout === null);

export function unmetOf(
  plan: readonly PlannedRefund[],
  faults: Played['faults'],
  courses: ReadonlySet<Course>,
) {
  const fates = new Set(
    plan.flatMap(({ payouts, looks, reports }) => [...payouts, ...looks, ...reports]),
  );
  const unmetFates = [...fates].filter((fate) => fate !== 'passes' && faults[fate] === undefined);
  const unmetCourses = [...new Set(plan.map(({ course }) => course))].filter(
    (course) => !courses.has(course),
  );
  return [...unmetFates, ...unmetCourses];
}

export function asText(report: Report): string {
  const { seed, refunds, faults, kills, unmet, broken } = report;
  const met = Object.entries({ ...faults, 'kill -9': kills }).map(
    ([fault, count]) => `${count} × ${fault}`,
  );
  const rules = broken.flatMap(({ sentence, refunds, refund, history }) => [
    '',
    `${refunds} of the refunds: ${sentence}`,
    `The shortest history, of ${refund}:`,
    ...(history ?? []).map((line) => `  ${line}`),
  ]);
  const lines = [
    verdictOf(report),
    `${refunds} refunds, seed ${seed}; ${met.join(', ')}.`,
    ...(unmet.length > 0
      ? [`Nothing is known about what did not happen: ${unmet.join(', ')}.`]
      : []),
    'In minor units:',
    ...amountsOf(report),
    ...rules,
  ];
  return `${lines.join('\n')}\n`;
}

function verdictOf({ passed, stopped, open, broken, met, faulty }: Report): string {
  if (passed) return 'PASSED: every refund was paid once or not at all, and Tillgate says which.';
  if (stopped === null && broken.length > 0) return 'FAILED';
  if (stopped === null) {
    return `NO VERDICT: ${met} refunds met a fault, and ${faulty} should have: the worker was too slow, or stood still.`;
  }
  const opened = `${stopped} Open refunds: ${open}.`;
  return broken.length > 0
    ? `FAILED: ${opened}`
    : `NO VERDICT: ${opened} No rule was broken until then.`;
}

function amountsOf({ totals }: Report): string[] {
  const currencies = Object.keys({ ...totals.provider, ...totals.tillgate }).sort();
  return currencies.map((currency) => {
    const [paid = 0, booked = 0] = [totals.provider[currency], totals.tillgate[currency]];
    const difference = paid === booked ? 'equal' : `difference ${paid - booked}`;
    return `  ${currency}  ${paid} paid by the provider, ${booked} succeeded in Tillgate: ${difference}`;
  });
}
