import { expect, test } from '@jest/globals';
import { Journal } from '../../drill/journal.js';
import { LEAST_REFUNDS, planOf } from '../../drill/plan.js';
import type { Payout } from '../../drill/provider.js';
import { unmetOf } from '../../drill/report.js';
import type { Course } from '../../drill/scenes.js';
import { EACH_DAY, IN_TURN } from '../../drill/scenes.js';
import { totals } from '../../drill/verdict.js';
import { Witness } from '../../drill/witness.js';

test('the same seed is the same plan, and another seed is another', () => {
  expect(planOf(7, 200)).toEqual(planOf(7, 200));
  expect(planOf(7, 200)).not.toEqual(planOf(8, 200));
  expect(planOf(7, 203).map((day) => day.length)).toEqual([51, 51, 51, 50]);
});

test('the smallest drill has every scene', () => {
  expect(LEAST_REFUNDS).toBeLessThanOrEqual(40);
  const planned = planOf(7, 40).flat();
  for (const scene of [...EACH_DAY, ...IN_TURN]) {
    const { reference: _reference, payment: _payment, ...played } = scene;
    expect(planned).toContainEqual(expect.objectContaining(played));
  }
});

test('each day has refunds that are easily mixed up', () => {
  for (const day of planOf(7, 40)) {
    const alike = day.filter(({ payment }) => /shirt|mug/.test(payment));
    expect(new Set(alike.map(({ amount }) => amount)).size).toBe(1);
    expect(alike.map(({ organization, payment }) => `${organization} ${payment.split(' ')[1]}`)).toEqual([
      '0 shirt',
      '0 shirt',
      '1 mug',
    ]);
    expect(alike[0]?.reference).toBe(alike[2]?.reference);
  }
});

test('what was planned and did not happen is named', () => {
  const plan = planOf(7, 40).flat();
  const unmet = unmetOf(plan, { overtaken: 1 }, new Set<Course>(['pays', 'declines']));
  expect(unmet).toEqual(expect.arrayContaining(['request late', 'server error', 'fails']));
  for (const met of ['passes', 'overtaken', 'pays', 'declines']) expect(unmet).not.toContain(met);
});

const payout = (status: Payout['status'], more: Partial<Payout> = {}): Payout => ({
  ...{ id: 'pr_1', refund: 're_1', amount: 500, currency: 'eur', key: 're_1', status },
  ...more,
});

test('the totals are of what was paid for good', () => {
  const paid = [payout('succeeded'), payout('returned'), payout('succeeded', { currency: 'usd', amount: 7 })];
  const refunds = [{ id: 're_1', amount: 500, currency: 'eur', status: 'succeeded' }];
  const books = { refunds, payouts: paid, seen: new Map(), courseOf: () => undefined };
  expect(totals(books)).toEqual({ provider: { eur: 500, usd: 7 }, tillgate: { eur: 500 } });
});

test.each([
  ['nothing', [], ['re_1']],
  ['the payout', [payout('failed')], []],
])(
  'after refund_claimed, a worker that finds %s at the provider may report under another claim: %j',
  async (_, data, misused) => {
    const merchants = { plan: () => undefined, cancel: async () => undefined } as never;
    const provider = { onTheWay: new Set(), declined: new Set(['re_1']), payoutsOf: () => data, book: data } as never;
    const witness = new Witness(merchants, provider, journalOf());
    const request = (method: string, path: string, claim?: number) => ({
      ...{ worker: 0, method, path, headers: {}, text: '' },
      body: claim && { claim },
    });
    const fail = (claim: number) => witness.receiveForTillgate(request('POST', '/ledger/v1/refunds/re_1/fail', claim));
    await fail(1)({ status: 422, body: { error: { code: 'refund_claimed' } } }, 'passes');
    await witness.receiveForProvider(request('GET', '/refunds?refund=re_1'))({ status: 200, body: { data } }, 'passes');
    await fail(2)({ status: 200, body: {} }, 'passes');
    expect([...witness.seen.keys()]).toEqual(misused);
  },
);

test('a payout that is recorded as made elsewhere is held to the provider, too', async () => {
  const provider = { onTheWay: new Set(), declined: new Set(), payoutsOf: () => [payout('pending')] } as never;
  const witness = new Witness({ plan: () => undefined } as never, provider, journalOf());
  const body = { payment: 'pay_1', amount: 500, provider_reference: 'pr_1' };
  const request = { worker: 0, method: 'POST', path: '/ledger/v1/refunds', headers: {}, text: '', body };
  await witness.receiveForTillgate(request)({ status: 200, body: { id: 're_1' } }, 'passes');
  expect([...witness.seen]).toEqual([['re_1', new Set(['succeeded unpaid'])]]);
});

const journalOf = () => new Journal({ label: () => 'day 1' } as never);

test('a history stands in the order of arrival, and says once what was repeated', () => {
  const journal = journalOf();
  journal.note('re_1', 'merchant', 'proposes');
  const arrival = journal.moment();
  journal.note(undefined, 'worker 1', 'kill -9');
  journal.note('re_1', 'worker 1', 'reports', arrival);
  for (let claim = 2; claim < 100; claim += 1) {
    journal.note('re_1', `worker ${1 + (claim % 2)}`, `claims it: claim ${claim}`);
    journal.note('re_1', `worker ${1 + (claim % 2)}`, 'looks');
  }
  journal.note('re_2', 'worker 1', 'pays');
  expect(journal.history('re_1')).toEqual([
    'day 1  merchant  proposes',
    'day 1  worker 1  reports',
    'day 1  worker 1  kill -9',
    'day 1  worker 1  claims it: claim 2',
    'day 1  worker 1  looks',
    '… these 2 lines 97 times more, until day 1',
  ]);
});

test('a history has at most 60 lines', () => {
  const journal = journalOf();
  for (let line = 0; line < 200; line += 1) journal.note('re_1', 'worker 1', `does ${line}`);
  const history = journal.history('re_1');
  expect(history).toHaveLength(60);
  expect([history[39], history[59]]).toEqual(['… 141 lines are left out', 'day 1  worker 1  does 199']);
});
