import { expect, test } from '@jest/globals';
import { type Course, planOf } from '../../drill/plan.js';
import type { Payout } from '../../drill/provider.js';
import { Traffic } from '../../drill/traffic.js';
import { totals, violations } from '../../drill/verdict.js';

test('the same seed is the same plan, and another seed is another', () => {
  expect(planOf(7, 200)).toEqual(planOf(7, 200));
  expect(planOf(7, 200)).not.toEqual(planOf(8, 200));
  expect(planOf(7, 203).map((day) => day.length)).toEqual([51, 51, 51, 50]);
});

const REFUND = { id: 're_1', amount: 500, currency: 'eur' };
const payout = (status: Payout['status'], more: Partial<Payout> = {}): Payout => ({
  ...{ id: 'pr_1', refund: 're_1', amount: 500, currency: 'eur', key: 're_1', status },
  ...more,
});
const books = (status: string, payouts: Payout[], misused: string[] = [], course: Course = 'pays') => ({
  refunds: [{ ...REFUND, status }],
  payouts,
  misused: new Set(misused),
  courseOf: () => course,
});

test.each([
  ['succeeded', [payout('succeeded')]],
  ['succeeded', [payout('failed'), payout('succeeded', { key: 'other' })]],
  ['failed', [payout('returned')]],
  ['failed', []],
  ['canceled', []],
])('%s with %j breaks no rule', (status, payouts) => {
  expect(violations(books(status, payouts, [], 'declines'))).toEqual([]);
});

test.each([
  ['amount', books('succeeded', [payout('succeeded', { amount: 5 })])],
  ['amount', books('succeeded', [payout('succeeded', { currency: 'usd' })])],
  ['new key', books('succeeded', [payout('succeeded'), payout('succeeded', { key: 'other' })])],
  ['paid again', books('succeeded', [payout('succeeded'), payout('succeeded')])],
  ['claim number', books('succeeded', [payout('succeeded')], ['re_1'])],
  ['failed though paid', books('failed', [payout('succeeded')])],
  ['failed though paid', books('failed', [payout('pending')])],
  ['failed unrefused', books('failed', [])],
  ['canceled though paid', books('canceled', [payout('succeeded')])],
  ['returned', books('succeeded', [payout('returned')])],
  ['succeeded unpaid', books('succeeded', [payout('pending')])],
  ['succeeded unpaid', books('succeeded', [])],
  ['submitted', books('pending', [payout('succeeded')], [], 'pays days later')],
  ['unreported', books('pending', [payout('failed')])],
  ['unpaid', books('pending', [])],
])('the rule "%s" is named', (rule, broken) => {
  expect(violations(broken)).toEqual([{ refund: 're_1', rule }]);
});

test('the totals are of what was paid for good', () => {
  const paid = [payout('succeeded'), payout('returned'), payout('succeeded', { currency: 'usd', amount: 7 })];
  expect(totals(books('succeeded', paid))).toEqual({ provider: { eur: 500, usd: 7 }, tillgate: { eur: 500 } });
});

test.each([
  ['nothing', [], ['re_1']],
  ['the payout', [payout('failed')], []],
])(
  'after refund_claimed, a worker that finds %s at the provider may report under another claim: %j',
  (_, data, misused) => {
    const nothing = { note: () => undefined } as never;
    const traffic = new Traffic(nothing, nothing, nothing, '');
    const request = (method: string, path: string, claim?: number) => ({
      ...{ worker: 0, method, path, headers: {}, text: '' },
      body: claim && { claim },
    });
    const fail = (claim: number) => request('POST', '/ledger/v1/refunds/re_1/fail', claim);
    traffic.tillgate.note(fail(1), { status: 422, body: { error: { code: 'refund_claimed' } } }, 'passes');
    traffic.payouts.note(request('GET', '/refunds?refund=re_1'), { status: 200, body: { data } }, 'passes');
    traffic.tillgate.note(fail(2), { status: 200, body: {} }, 'passes');
    expect([...traffic.misused]).toEqual(misused);
  },
);
