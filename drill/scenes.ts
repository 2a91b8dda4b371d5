/** Holds what can happen to a refund in a drill, and the refunds that are in every plan. */

/** The provider treats a refund that it is asked to pay in one of these ways. */
export type Course =
  | 'pays'
  | 'declines'
  | 'fails'
  | 'pays days later'
  | 'fails days later'
  | 'pays, and it bounces';

/**
 * One of these things happens to a request of a worker on its way to Tillgate or to the provider.
 */
export type Fate =
  | 'passes'
  | 'request lost'
  /** The request has no answer, and is carried out an hour later. */
  | 'request late'
  | 'answer lost'
  | 'arrives twice'
  | 'worker killed'
  /**
   * The answer waits until the clock moves: by day an hour, at night a day, for which the workers
   * are killed.
   */
  | 'answer late'
  /**
   * The request is carried out, and the connection stays open without an answer until the worker
   * gives it up.
   */
  | 'never answered'
  /** The answer takes a moment. */
  | 'answer slow'
  /**
   * The request is carried out, and the answer is an error. That of the provider is 500, 502 or 504
   * with a page of HTML.
   */
  | 'server error'
  /**
   * Nothing is done, and the answer says so. The answer of `overtaken` waits until another claim of
   * the refund pays.
   */
  | 'overtaken'
  | 'no balance'
  | 'unavailable'
  | 'too many requests';

export interface PlannedRefund {
  readonly reference: string;
  /** This is the number of the organization: 0 or 1. */
  readonly organization: number;
  /** Refunds of an organization with the same name here belong to one payment. */
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly course: Course;
  /** Its first requests for a payout have these fates, in their order. Later requests pass. */
  readonly payouts: readonly Fate[];
  /** The fates of its first look-ups at the provider. */
  readonly looks: readonly Fate[];
  /** The fates of its first reports to Tillgate. */
  readonly reports: readonly Fate[];
  /** The time from which the merchant tries to cancel it. */
  readonly regret: 'never' | 'at once' | 'when it is paid';
  /**
   * The proposer may not approve the refund: somebody else approves it late, rejects it, or never
   * decides.
   */
  readonly approval: 'not needed' | 'late' | 'rejected' | 'never';
  /**
   * True if the refund is proposed late in the day, so that the workers are killed while the
   * provider pays it.
   */
  readonly isEvening: boolean;
  /** True if the merchant also pays a part of the payment back in the provider's dashboard. */
  readonly isBesideDashboard: boolean;
}

/** A member that a scene does not name is drawn, except faults: a scene has no others. */
export type Scene = Partial<PlannedRefund>;

/**
 * These refunds are easily confused: those of a day have one amount, and two organizations give
 * them the same references.
 */
const SHIRT = { organization: 0, payment: 'shirt', currency: 'eur' };
const MUG = { organization: 1, payment: 'mug', currency: 'eur' };
const CAP = { organization: 0, payment: 'cap', currency: 'usd' };
/** A worker that releases these refunds lets the merchant cancel refunds that were paid. */
const regret = 'when it is paid';

/**
 * The first day belongs to one worker that nobody kills, so these have every fault that needs no
 * second worker and no kill. Each of them happens to both organizations.
 */
export const FIRST_DAY: readonly Scene[] = [
  { payouts: ['never answered'], reports: ['unavailable'] },
  { payouts: ['answer lost'], reports: ['never answered'] },
  { payouts: ['request lost'], looks: ['answer lost', 'unavailable'], reports: ['request lost'] },
  { payouts: ['request late'], isBesideDashboard: true },
  { payouts: ['server error', 'answer lost'], reports: ['server error'] },
  { payouts: ['arrives twice'], reports: ['answer lost'] },
  { payouts: ['answer late'], reports: ['arrives twice'] },
  { payouts: ['answer slow'], reports: ['too many requests'] },
  { payouts: ['no balance'], isBesideDashboard: true },
  { payouts: ['unavailable', 'too many requests'], approval: 'late' },
  { course: 'declines', reports: ['unavailable'] },
  { course: 'fails', reports: ['answer lost'] },
  { course: 'pays days later', payouts: ['answer lost'] },
  { course: 'fails days later' },
  { course: 'pays, and it bounces' },
];

export const EACH_DAY: readonly Scene[] = [
  { ...SHIRT, reference: 'shirt-1' },
  { ...SHIRT, reference: 'shirt-2', payouts: ['request lost'] },
  { ...MUG, reference: 'shirt-1', payouts: ['answer lost'], reports: ['request lost'] },
  { payouts: ['overtaken', 'answer slow'], regret, isBesideDashboard: true },
  { isEvening: true, payouts: ['answer late'], looks: ['answer lost', 'unavailable'] },
];

/**
 * Each day has as many of these as it has room for, so that a small drill meets each of them once.
 */
export const IN_TURN: readonly Scene[] = [
  { ...CAP, reference: 'cap-1', payouts: ['request lost'] },
  { course: 'pays days later', regret },
  { payouts: ['server error'], regret },
  { payouts: ['request late'], regret },
  { course: 'pays, and it bounces' },

  { course: 'declines', reports: ['request lost'] },
  { approval: 'rejected' },
  { payouts: ['worker killed'] },
  { payouts: ['too many requests'], reports: ['passes', 'too many requests'] },
  { course: 'fails days later', reports: ['server error'] },

  { approval: 'never' },
  { payouts: ['server error'], regret },
  { payouts: ['answer lost', 'answer lost'], reports: ['arrives twice'], approval: 'late' },
  { payouts: ['unavailable'], reports: ['unavailable', 'too many requests'] },
  { course: 'fails', reports: ['worker killed'] },

  { course: 'pays days later', payouts: ['answer lost'], regret, approval: 'late' },
  { payouts: ['answer late'] },
  { payouts: ['arrives twice'], reports: ['answer lost'] },
  { payouts: ['no balance'], reports: ['server error'] },
  { regret: 'at once' },
];
