/** What a drill does, refund by refund. It follows from the seed alone: the same seed is the same plan. */
import { Random } from './random.js';
import { EACH_DAY, IN_TURN, type Scene } from './scenes.js';

/** What the provider does with a refund that it is asked to pay. */
export type Course = 'pays' | 'declines' | 'fails' | 'pays days later' | 'fails days later' | 'pays, and it bounces';

/** What happens to one request of a worker, on its way to Tillgate or to the provider. */
export type Fate =
  | 'passes'
  | 'request lost'
  /** No answer, and it is carried out an hour later. */
  | 'request late'
  | 'answer lost'
  | 'arrives twice'
  | 'worker killed'
  /** The answer waits until the clock moves: by day an hour, at night a day, for which the workers are killed. */
  | 'answer late'
  /** The answer takes a moment. */
  | 'answer slow'
  /** It is carried out, and the answer is an error: of the provider 500, 502 or 504 with a page of HTML. */
  | 'server error'
  /** Nothing is done in these, and the answer says so. The one of `overtaken` waits until another claim of the refund pays. */
  | 'overtaken'
  | 'no balance'
  | 'unavailable'
  | 'too many requests';

export interface PlannedRefund {
  readonly reference: string;
  /** 0 or 1. */
  readonly organization: number;
  /** Refunds of an organization with the same name here are of one payment. */
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly course: Course;
  /** Of its first requests for a payout, in their order. Those after them pass. */
  readonly payouts: readonly Fate[];
  /** Of its first looks at the provider. */
  readonly looks: readonly Fate[];
  /** Of its first reports to Tillgate. */
  readonly reports: readonly Fate[];
  /** From when on the merchant tries to cancel it. */
  readonly regret: 'never' | 'at once' | 'when it is paid';
  /** Whether it is proposed late in the day, so that the workers are killed while the provider pays it. */
  readonly isEvening: boolean;
}

export const DAYS = 4;
/** Each scene is played at least once. */
export const LEAST_REFUNDS = DAYS * (EACH_DAY.length + Math.ceil(IN_TURN.length / DAYS));
/** Refunds of the same payment wait for each other. */
const REFUNDS_OF_PAYMENT = 10;
const ORGANIZATIONS = 2;

const COURSES: readonly Course[] = [
  ...Array<Course>(13).fill('pays'),
  ...(['declines', 'declines', 'fails', 'pays days later', 'pays days later', 'fails days later'] as const),
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
const REGRETS: readonly PlannedRefund['regret'][] = [...Array(8).fill('never'), 'at once', 'when it is paid'];
const CALM = { course: 'pays', payouts: [], reports: [], regret: 'never' } as const;
const CURRENCIES = ['eur', 'usd', 'jpy'];
const ROUND = REFUNDS_OF_PAYMENT * CURRENCIES.length * ORGANIZATIONS;

/** The refunds of each day. */
export function planOf(seed: number, refunds: number): readonly (readonly PlannedRefund[])[] {
  const random = new Random(seed);
  return Array.from({ length: DAYS }, (_, day) => {
    const count = Math.floor(refunds / DAYS) + (day < refunds % DAYS ? 1 : 0);
    const turns = Math.min(count - EACH_DAY.length, IN_TURN.length);
    const scenes = [...EACH_DAY, ...Array.from({ length: turns }, (_, turn) => sceneOf(day * turns + turn))];
    const alike = amountOf(random);
    return Array.from({ length: count }, (_, place) => {
      const drawn = drawnRefund(random, `day-${day + 1}`, place);
      const scene = scenes[place];
      return scene ? played(drawn, scene, alike) : drawn;
    });
  });
}

const sceneOf = (turn: number) => IN_TURN[turn % IN_TURN.length] as Scene;
const amountOf = (random: Random) => 1 + random.below(20_000);

function drawnRefund(random: Random, day: string, place: number): PlannedRefund {
  const any = <Item>(items: readonly Item[]) => random.of(items) as Item;
  const currency = any(CURRENCIES);
  return {
    reference: `${day}-refund-${place + 1}`,
    organization: random.below(ORGANIZATIONS),
    payment: `${day} ${currency} ${Math.floor(place / ROUND)}`,
    amount: amountOf(random),
    currency,
    course: any(COURSES),
    payouts: [any(PAYOUTS), any(PAYOUTS)],
    looks: [],
    reports: [any(REPORTS), any(REPORTS)],
    regret: any(REGRETS),
    isEvening: false,
  };
}

function played(drawn: PlannedRefund, { payment, reference, ...scene }: Scene, amount: number): PlannedRefund {
  const [day] = drawn.payment.split(' ');
  const alike = payment && { payment: `${day} ${payment}`, reference: `${day}-${reference}`, amount };
  return { ...drawn, ...CALM, ...scene, ...alike };
}
