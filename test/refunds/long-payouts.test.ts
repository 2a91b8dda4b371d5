/**
 * A payout may take weeks at its provider. Its refund is leased for so long, and is reported and
 * counted.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { startService } from '../kit/service.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { type Reply, untilDecided } from '../support/client.js';
import { lapse, leaseEnd } from '../support/leases.js';
import { scrape } from '../support/metrics.js';
import { inRaces, atOnce as race } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const REFUNDS = '/ledger/v1/refunds';
const CLAIM = `${REFUNDS}/claim`;
const LONG = { claim: 1, lease_seconds: 5_184_000, provider_reference: 're_provider' };

const service = useService();
const other = useOther(service);
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = await shop.capture();
});

afterEach(() => expectBalanced(service));

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);
const act = (id: string, action: string, body: object) =>
  shop.ledgerPost(`${REFUNDS}/${id}/${action}`, body);
const now = () => Math.floor(Date.now() / 1000);
async function propose(count: number, at: Shop = shop): Promise<string[]> {
  const of = at === shop ? payment : await at.capture();
  const ids: string[] = [];
  while (ids.length < count) ids.push((await untilDecided(() => at.propose(of, 1))).body.id);
  return ids;
}

/**
 * Proposes the only refund of an organization, so that each claim of the organization takes this
 * refund or none.
 */
async function proposeAlone(): Promise<{ own: Shop; id: string }> {
  const own = await Shop.open(service, shop);
  return { own, id: (await propose(1, own))[0] as string };
}

test("keeps a lease of 60 days and the provider's reference beyond the end of the process", async () => {
  const [id = ''] = await propose(1);
  const first = await startService({ databaseUrl: service.databaseUrl });
  await shop.at(first).claim();
  const asked = now();
  const before = (await shop.at(first).ledgerPost(`${REFUNDS}/${id}/extend`, LONG)).body;
  expect(before).toMatchObject({
    provider_reference: 're_provider',
    claim: { expires_at: leaseEnd(5_184_000, asked) },
  });
  await first.close();
  expect((await shop.ledgerGet(`${REFUNDS}/${id}`)).body).toEqual(before);
  expect([idsOf(await shop.claim()), idsOf(await shop.bare(CLAIM, { limit: 100 }))]).toEqual([
    [],
    [],
  ]);
  expect((await shop.cancel(id)).body.error.code).toBe('refund_in_progress');
  const over = 'UPDATE refunds SET claim_expires_at = now(), claimable_at = now() WHERE id = $1';
  await service.sql.query(over, [uuidOf(id)]);
  const taken = { id, claim: { number: 2 }, provider_reference: 're_provider' };
  expect((await shop.claim()).body.data).toMatchObject([taken]);
  expect((await act(id, 'extend', LONG)).body.error.code).toBe('refund_claimed');
  expect((await shop.succeed(id)).body).toMatchObject({
    status: 'succeeded',
    provider_reference: 're_provider',
  });
});

test('does not count a refund as waiting that a provider has', async () => {
  const own = await startService();
  const alone = await Shop.open(own);
  const [id] = await propose(1, alone);
  await alone.claim();
  await alone.ledgerPost(`${REFUNDS}/${id}/extend`, LONG);
  expect(await scrape(own)).toMatchObject({
    'tillgate_refunds_pending{mode="test",claimed="yes"}': 1,
    'tillgate_refunds_oldest_pending_seconds{mode="test"}': 0,
  });
  await own.close();
});

test('counts a pending refund as stuck from its fifth claim on', async () => {
  const [id = ''] = await propose(1);
  for (let number = 1; number <= 5; number++) {
    await shop.claim();
    if (number < 5) await act(id, 'release', { claim: number });
  }
  expect((await scrape(service))['tillgate_refunds_stuck{mode="test"}']).toBe(1);
});

test.each([
  ['fail', { claim: 1 }],
  ['extend', { claim: 1, lease_seconds: 600 }],
])(
  'lets exactly one of a late %s and the claim that takes the refund over win',
  async (action, body) => {
    await inRaces(async (number) => {
      const { own, id } = await proposeAlone();
      await own.claim();
      await lapse(service, id);
      const late = () => own.at(other).ledgerPost(`${REFUNDS}/${id}/${action}`, body);
      const [extended, claimed] = await race([late, () => own.claim()], number);
      expect(extended?.body.error?.code).toBe(
        extended?.status === 200 ? undefined : 'refund_claimed',
      );
      expect(claimed?.body.data).toMatchObject(
        extended?.status === 200 ? [] : [{ id, claim: { number: 2 } }],
      );
    });
  },
);
