/** The refunds that no plan leaves out. What a scene does not name is drawn, but for faults: it has no others. */
import type { PlannedRefund } from './plan.js';

export type Scene = Partial<PlannedRefund>;

/** Refunds that are easily mixed up: those of a day have one amount, and two organizations give them the same references. */
const SHIRT = { organization: 0, payment: 'shirt', currency: 'eur' };
const MUG = { organization: 1, payment: 'mug', currency: 'eur' };
const CAP = { organization: 0, payment: 'cap', currency: 'usd' };
/** A worker that releases these lets the merchant cancel what was paid. */
const regret = 'when it is paid';

export const EACH_DAY: readonly Scene[] = [
  { ...SHIRT, reference: 'shirt-1' },
  { ...SHIRT, reference: 'shirt-2', payouts: ['request lost'] },
  { ...MUG, reference: 'shirt-1', payouts: ['answer lost'], reports: ['request lost'] },
  { payouts: ['overtaken', 'answer slow'], regret },
  { isEvening: true, payouts: ['answer late'], looks: ['answer lost', 'unavailable'] },
];

/** As many a day as there is room for, so that a small drill meets each of them once. */
export const IN_TURN: readonly Scene[] = [
  { ...CAP, reference: 'cap-1', payouts: ['request lost'] },
  { course: 'pays days later', regret },
  { payouts: ['server error'], regret },
  { payouts: ['request late'], regret },
  { course: 'pays, and it bounces' },

  { course: 'declines', reports: ['request lost'] },
  { payouts: ['server error'], regret },
  { payouts: ['worker killed'] },
  { payouts: ['too many requests'], reports: ['passes', 'too many requests'] },
  { course: 'fails days later', reports: ['server error'] },

  { payouts: ['request late'], regret },
  { payouts: ['server error'], regret },
  { payouts: ['answer lost', 'answer lost'], reports: ['arrives twice'] },
  { payouts: ['unavailable'], reports: ['unavailable', 'too many requests'] },
  { course: 'fails', reports: ['worker killed'] },

  { course: 'pays days later', payouts: ['answer lost'], regret },
  { payouts: ['answer late'] },
  { payouts: ['arrives twice'], reports: ['answer lost'] },
  { payouts: ['no balance'], reports: ['server error'] },
  { regret: 'at once' },
];
