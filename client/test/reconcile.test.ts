/**
 * The kit for ledgers compares payouts with Tillgate, and records those that were made elsewhere.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { useService, useShop } from '../../test/kit/setup.js';
import { type Payout, reconcile, recordPayout } from '../src/ledger/index.js';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = await shop.capture();
});

const propose = async (amount = 1): Promise<string> =>
  (await shop.propose(payment, amount)).body.id;
const proposed = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await propose(ids.length + 1));
  return ids;
};
const read = async (id: string) => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;

test('lists with reconcile what is missing, extra, of another amount or in another state', async () => {
  const ids = await proposed(8);
  const [right, gone, more, early, twice, refused, bounced, open] = ids as [
    string,
    ...string[],
  ] as string[];
  for (const id of [right, gone, more, twice, bounced]) await shop.succeed(id as string);
  await shop.fail(refused as string);
  const payout = (refund = '', amount = 0, status: Payout['status'] = 'succeeded'): Payout => {
    return { refund, amount, currency: 'usd', status };
  };
  async function* theirs() {
    yield* [payout(right, 1), payout(more, 4), payout(early, 4)];
    yield* [payout(twice, 5, 'failed'), payout(twice, 5), payout(twice, 5, 'pending')];
    yield* [payout(refused, 6, 'failed'), payout(bounced, 7, 'failed'), payout('re_test_other', 9)];
  }
  const { url } = service;
  const { organization, ledgerKey: key } = shop;
  const found = await reconcile(theirs(), { url, key, organization, from: '2026-01-01' });
  const of = async (kind: string, refund = '', other?: Payout) => {
    return {
      kind,
      refund,
      theirs: other,
      ours: ids.includes(refund) ? await read(refund) : undefined,
    };
  };
  expect(found).toEqual([
    await of('amount', more, payout(more, 4)),
    await of('state', early, payout(early, 4)),
    await of('extra', twice, payout(twice, 5, 'pending')),
    await of('state', bounced, payout(bounced, 7, 'failed')),
    await of('extra', 're_test_other', payout('re_test_other', 9)),
    await of('missing', gone),
  ]);
  expect((await read(open as string)).status).toBe('pending');
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  expect(await reconcile([payout(right, 1)], { url, key, organization, from: tomorrow })).toEqual(
    [],
  );
});

describe('a payout that was made elsewhere', () => {
  const sum = { amount: 500, currency: 'usd', status: 'succeeded' } as const;
  const made = (facts: Partial<Payout> = {}): Payout => {
    return { refund: undefined, payment, reference: 'd_1', ...sum, ...facts };
  };
  const differences = (...theirs: Payout[]) =>
    reconcile(theirs, { url: service.url, key: shop.ledgerKey, organization: shop.organization });

  test('differs until it is recorded, which may be repeated, and again when it came back', async () => {
    const others = [
      made({ reference: 'd_2', status: 'pending' }),
      made({ reference: 'd_3', status: 'failed' }),
    ];
    const unknown = { kind: 'elsewhere', refund: undefined, ours: undefined, theirs: made() };
    expect(await differences(made(), ...others)).toEqual([unknown]);
    const options = { url: service.url, key: shop.ledgerKey };
    const refund = await recordPayout(made(), options);
    expect(refund).toMatchObject({
      payment,
      amount: 500,
      status: 'succeeded',
      provider_reference: 'd_1',
    });
    expect(await recordPayout(made(), options)).toEqual(refund);
    expect(await differences(made())).toEqual([]);
    const cameBack = made({ status: 'failed' });
    expect(await differences(cameBack)).toEqual([
      { kind: 'state', refund: refund.id, ours: refund, theirs: cameBack },
    ]);
    expect(await differences()).toEqual([
      { kind: 'missing', refund: refund.id, ours: refund, theirs: undefined },
    ]);
    await shop.return(refund.id);
    expect(await differences(cameBack)).toEqual([]);
  });

  test('is counted for the refund that has it, and not for one that gave way to it', async () => {
    const id = await propose(500);
    await shop.recordRefund(payment, { provider_reference: 'd_1' });
    await shop.succeed(id, { provider_reference: 'd_1' });
    expect(await differences(made())).toEqual([]);
    expect(await differences(made({ refund: id }))).toEqual([]);
  });

  test.each([
    ['has no payment', { payment: undefined }, 'A payout has a payment and a reference.'],
    ['has no reference', { reference: undefined }, 'A payout has a payment and a reference.'],
    ['is pending', { status: 'pending' as const }, 'd_1 is pending, not succeeded.'],
    ['is in another currency', { currency: 'eur' }, 'd_1 is in eur, '],
  ])('is not recorded if it %s', async (_, facts, message) => {
    await expect(
      recordPayout(made(facts), { url: service.url, key: shop.ledgerKey }),
    ).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining(message) });
    expect((await shop.amountsOf(payment)).refunded).toBe(0);
  });
});
