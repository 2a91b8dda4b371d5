/** What a drill does, refund by refund. It follows from the seed alone: the same seed is the same plan. */
import { Random } from './random.js';

/** What the provider does with a refund that it is asked to pay. */
export type Course = 'pays' | 'declines' | 'fails' | 'pays days later' | 'fails days later' | 'pays, and it bounces';

/** What happens to one request of a worker. */
export type Fate =
  | 'passes'
  | 'request lost'
  | 'answer lost'
  | 'arrives twice'
  | 'worker killed'
  /** The answer waits until the clock moves: by day an hour, at night a day, for which the workers are killed. */
  | 'answer late'
  /** The answer takes a moment, in which the merchant tries to cancel the refund. */
  | 'answer slow'
  /** No balance, and the answer waits until another claim of the refund pays. */
  | 'overtaken'
  | 'no balance'
  | 'unavailable';

export interface PlannedRefund {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly course: Course;
  /** Of its first requests for a payout, in their order. Those after them pass. */
  readonly payouts: readonly Fate[];
  /** Of its first reports to Tillgate. */
  readonly reports: readonly Fate[];
  /** Whether the merchant tries to cancel it. */
  readonly isUnwanted: boolean;
  /** Whether it is proposed late in the day, so that the workers are killed while the provider pays it. */
  readonly isEvening: boolean;
}

export const DAYS = 4;
/** So many refunds of a day are the same in every plan but for their amounts: no seed leaves one of them out. */
const SPECIAL: readonly Partial<PlannedRefund>[] = [
  { isEvening: true, payouts: ['answer late'] },
  { isEvening: true, payouts: ['answer late'] },
  { payouts: ['overtaken', 'answer slow'] },
  { payouts: ['answer late'] },
  { payouts: ['worker killed'] },
  { payouts: ['answer lost', 'answer lost'] },
  { reports: ['worker killed'] },
  { course: 'pays days later' },
  { course: 'fails days later' },
  { course: 'pays, and it bounces' },
];

const COURSES: readonly Course[] = [
  ...Array<Course>(13).fill('pays'),
  ...(['declines', 'declines', 'fails', 'pays days later', 'pays days later', 'fails days later'] as const),
  'pays, and it bounces',
];
const PAYOUTS: readonly Fate[] = [
  ...Array<Fate>(14).fill('passes'),
  ...(['answer lost', 'answer lost', 'request lost', 'arrives twice', 'no balance', 'unavailable'] as const),
];
const REPORTS: readonly Fate[] = [
  ...Array<Fate>(16).fill('passes'),
  ...(['answer lost', 'answer lost', 'request lost', 'arrives twice'] as const),
];
const CURRENCIES = ['eur', 'usd', 'jpy'];
const ONE_IN_UNWANTED = 10;

/** The refunds of each day. */
export function planOf(seed: number, refunds: number): readonly (readonly PlannedRefund[])[] {
  const random = new Random(seed);
  const ofDay = (day: number) => Math.floor(refunds / DAYS) + (day < refunds % DAYS ? 1 : 0);
  return Array.from({ length: DAYS }, (_, day) =>
    Array.from({ length: ofDay(day) }, (_, place) =>
      plannedRefund(random, `day-${day + 1}-refund-${place + 1}`, place),
    ),
  );
}

function plannedRefund(random: Random, reference: string, place: number): PlannedRefund {
  const any = <Item>(items: readonly Item[]) => random.of(items) as Item;
  const drawn: PlannedRefund = {
    reference,
    amount: 1 + random.below(20_000),
    currency: any(CURRENCIES),
    course: any(COURSES),
    payouts: [any(PAYOUTS), any(PAYOUTS)],
    reports: [any(REPORTS), any(REPORTS)],
    isUnwanted: random.below(ONE_IN_UNWANTED) === 0,
    isEvening: false,
  };
  const special = SPECIAL[place];
  if (special === undefined) return drawn;
  return { ...drawn, course: 'pays', payouts: [], reports: [], isUnwanted: false, ...special };
}
