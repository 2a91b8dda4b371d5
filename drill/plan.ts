/**
 * Plans a drill, refund by refund. The plan follows from the seed alone: the same seed makes the
 * same plan.
 */
import { DAY } from './clock.js';
import { Random } from './random.js';
import {
  type Course,
  EACH_DAY,
  type Fate,
  FIRST_DAY,
  IN_TURN,
  type PlannedRefund,
  type Scene,
} from './scenes.js';

export const DAYS = 3;
export const OUTAGE_DAY = 1;
/** From this day on the clocks of both workers are fast. */
export const FAST_DAY = 2;
/**
 * The last payouts are decided two days later. A claim may last 60 days, and then the refund may be
 * paid.
 */
export const NIGHTS_AT_THE_END = [DAY, 2 * DAY, 61 * DAY, 3 * DAY];
/** Refunds of the same payment wait for each other. */
const REFUNDS_OF_PAYMENT = 10;
const ORGANIZATIONS = 2;

const COURSES: readonly Course[] = [
  ...Array<Course>(13).fill('pays'),
  ...([
    'declines',
    'declines',
    'fails',
    'pays days later',
    'pays days later',
    'fails days later',
  ] as const),
  'pays, and it bounces',
];
const PAYOUTS: readonly Fate[] = [
  ...Array<Fate>(14).fill('passes'),
  ...(['answer lost', 'answer lost', 'request lost', 'request late', 'arrives twice'] as const),
  ...(['server error', 'no balance', 'unavailable', 'too many requests'] as const),
];
const REPORTS: readonly Fate[] = [
  ...Array<Fate>(16).fill('passes'),
  ...(['answer lost', 'answer lost', 'request lost', 'arrives twice', 'unavailable'] as const),
];
const REGRETS: readonly PlannedRefund['regret'][] = [
  ...Array(8).fill('never'),
  'at once',
  'when it is paid',
];
/** One in ten refunds waits for an approval. */
const APPROVALS: readonly PlannedRefund['approval'][] = [
  ...Array(27).fill('not needed'),
  'late',
  'rejected',
  'never',
];
const CALM = {
  course: 'pays',
  payouts: [],
  reports: [],
  regret: 'never',
  approval: 'not needed',
  isBesideDashboard: false,
} as const;
const CURRENCIES = ['eur', 'usd', 'jpy'];
const ROUND = REFUNDS_OF_PAYMENT * CURRENCIES.length * ORGANIZATIONS;

/**
 * Returns the refunds of the first day, on which one worker runs alone. Their number is always the
 * same.
 */
export function firstDayOf(seed: number): readonly PlannedRefund[] {
  const random = new Random(seed);
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, organization) => organization);
  const scenes = FIRST_DAY.flatMap((scene) =>
    organizations.map((organization) => ({ ...scene, organization })),
  );
  const alike = amountOf(random);
  return scenes.map((scene, place) => played(drawnRefund(random, 0, place), scene, alike));
}

/** Returns the refunds of each day with two workers. */
export function planOf(seed: number, refunds: number): readonly (readonly PlannedRefund[])[] {
  const random = new Random(seed);
  return Array.from({ length: DAYS }, (_, day) => {
    const count = Math.floor(refunds / DAYS) + (day < refunds % DAYS ? 1 : 0);
    const turns = Math.min(count - EACH_DAY.length, IN_TURN.length);
    const scenes = [
      ...EACH_DAY,
      ...Array.from({ length: turns }, (_, turn) => sceneOf(day * turns + turn)),
    ];
    const alike = amountOf(random);
    return Array.from({ length: count }, (_, place) => {
      const drawn = drawnRefund(random, day + 1, place);
      const scene = scenes[place];
      return scene ? played(drawn, scene, alike) : drawn;
    });
  });
}

const sceneOf = (turn: number) => IN_TURN[turn % IN_TURN.length] as Scene;
const amountOf = (random: Random) => 1 + random.below(20_000);

function drawnRefund(random: Random, day: number, place: number): PlannedRefund {
  const any = <Item>(items: readonly Item[]) => random.of(items) as Item;
  const currency = any(CURRENCIES);
  // The organizations alternate, and begin with the other one the next day, so that both have
  // refunds at every stage.
  const organization = (day + place) % ORGANIZATIONS;
  return {
    reference: `day-${day}-refund-${place + 1}`,
    organization,
    payment: `day-${day} ${currency} ${Math.floor(place / ROUND)}`,
    amount: amountOf(random),
    currency,
    course: any(COURSES),
    payouts: [any(PAYOUTS), any(PAYOUTS)],
    looks: [],
    reports: [any(REPORTS), any(REPORTS)],
    regret: any(REGRETS),
    approval: any(APPROVALS),
    isEvening: false,
    isBesideDashboard: false,
  };
}

function played(
  drawn: PlannedRefund,
  { payment, reference, ...scene }: Scene,
  amount: number,
): PlannedRefund {
  const [day] = drawn.payment.split(' ');
  const alike = payment && {
    payment: `${day} ${payment}`,
    reference: `${day}-${reference}`,
    amount,
  };
  return { ...drawn, ...CALM, ...scene, ...alike };
}
