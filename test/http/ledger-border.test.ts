/** Claims of many organizations and of long leases, and one reference proposed many times at once. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startService } from '../kit/service.js';
import { useService, useShop } from '../kit/setup.js';
import { atOnce, send, untilDecided } from '../support/client.js';
import { scrape } from '../support/metrics.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';
import { createLedgerKey } from '../support/tenants.js';

const REFUNDS = '/ledger/v1/refunds';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = (await shop.record()).body.id;
});

afterEach(() => expectBalanced(service));

/** Refunds of so many organizations, all leased for 60 days but the last one. */
const AT_PROVIDER = `WITH made AS MATERIALIZED (
    SELECT ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid AS id, number < $1 AS is_leased
    FROM generate_series(1, $1::integer) AS number
  ), paid AS (
    INSERT INTO payments (organization_id, mode, id, amount, amount_refunded, amount_pending_refund, currency)
    SELECT id, 'test', id, 1, 0, 1, 'usd' FROM made
  )
  INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status, claim_number, claim_expires_at, claimable_at)
  SELECT id, 'test', id, id, 1, 'usd', 'pending', is_leased::integer, CASE WHEN is_leased THEN now() + interval '60 days' END,
    CASE WHEN is_leased THEN now() + interval '60 days' ELSE to_timestamp(0) END FROM made`;

type List = { body: { data: { id: string }[] } };
const idsOf = ({ body }: List) => body.data.map(({ id }) => id);
const propose = (facts: object = {}, key?: string) => shop.post('/v1/refunds', { payment, amount: 100, ...facts }, key);
const act = (id: string, action: string, body: object = {}) => shop.ledgerPost(`${REFUNDS}/${id}/${action}`, body);
const claimAny = (limit: number) => shop.bare(`${REFUNDS}/claim`, { limit });

describe('claims', () => {
  test('released refunds of one organization starve neither its own nor the refunds of another', async () => {
    const poison: string[] = [];
    for (let at = 0; at < 10; at++) poison.push((await propose({ amount: 1 })).body.id);
    const claimed = await shop.claim({ limit: 10 });
    expect(idsOf(claimed)).toEqual(poison);
    for (const id of poison) await act(id, 'release', { claim: 1 });
    const other = await Shop.open(service, { ledgerKey: shop.ledgerKey });
    const foreign = (await other.propose((await other.record()).body.id, 1)).body.id;
    const own = (await propose()).body.id;
    const next = idsOf(await claimAny(4));
    expect(next).toEqual(expect.arrayContaining([foreign, own]));
    expect(next).toHaveLength(4);
    // Leaves none to the test of turns.
    await claimAny(100);
  });

  test('organizations take turns, also from claim to claim', async () => {
    const shops = [shop, ...(await Promise.all([1, 2].map(() => Shop.open(service, { ledgerKey: shop.ledgerKey }))))];
    const ownerOf = new Map<string, string>();
    for (const each of shops) {
      const paid = (await each.record()).body.id;
      for (let at = 0; at < 4; at++) ownerOf.set((await each.propose(paid, 1)).body.id, each.organization);
    }
    const owners: (string | undefined)[] = [];
    for (let at = 0; at < 12; at++) owners.push(ownerOf.get(idsOf(await claimAny(1))[0] as string));
    for (let round = 0; round < 4; round++) expect(new Set(owners.slice(3 * round, 3 * round + 3)).size).toBe(3);
    expect(idsOf(await claimAny(1))).toEqual([]);
  });

  test('thousands of organizations whose refunds are at a provider do not hide the refund of another', async () => {
    const own = await startService();
    const ledgerKey = await createLedgerKey(own);
    await own.sql.query(AT_PROVIDER, [2500]);
    const { body } = await send('POST', `${own.url}${REFUNDS}/claim`, { key: ledgerKey, body: { limit: 10 } });
    expect(body.data).toMatchObject([{ claim: { number: 1 } }]);
    await own.close();
  });

  test('a released refund cannot be claimed before its delay is over, but canceled at once', async () => {
    const { id } = (await propose()).body;
    await shop.claim();
    const released = await act(id, 'release', { claim: 1, delay_seconds: 604_800 });
    expect([released.status, released.body.claim]).toEqual([200, null]);
    expect(idsOf(await shop.claim())).toEqual([]);
    expect((await shop.cancel(id)).body.status).toBe('canceled');
    const wrong = await act(id, 'release', { claim: 1, delay_seconds: 604_801 });
    expect(wrong.body.error.errors).toMatchObject([{ param: 'delay_seconds', code: 'too_large' }]);
  });

  test('a lease of 60 days outlives the process, and so does what the provider calls the refund when it has ended', async () => {
    const { id } = (await propose()).body;
    const first = await startService({ databaseUrl: service.databaseUrl });
    await shop.at(first).claim();
    const long = { claim: 1, lease_seconds: 5_184_000, provider_reference: 're_provider' };
    const asked = Math.floor(Date.now() / 1000);
    const before = (await shop.at(first).ledgerPost(`${REFUNDS}/${id}/extend`, long)).body;
    expect(before.provider_reference).toBe('re_provider');
    expect(before.claim.expires_at).toBeGreaterThanOrEqual(asked + 5_184_000);
    await first.close();
    const next = await startService({ databaseUrl: service.databaseUrl });
    const at = shop.at(next);
    expect((await at.ledgerGet(`${REFUNDS}/${id}`)).body).toEqual(before);
    expect([idsOf(await at.claim()), idsOf(await at.bare(`${REFUNDS}/claim`, { limit: 100 }))]).toEqual([[], []]);
    expect((await at.cancel(id)).body.error.code).toBe('refund_in_progress');
    expect((await at.return(id)).body.error.code).toBe('refund_not_succeeded');
    expect((await at.fail(id)).body.error.code).toBe('refund_claimed');
    expect((await at.ledgerPost(`${REFUNDS}/${id}/extend`, { claim: 2, lease_seconds: 60 })).body.error.code).toBe(
      'refund_claimed',
    );
    const sixtyDays = `UPDATE refunds SET claim_expires_at = claim_expires_at - interval '60 days',
      claimable_at = claimable_at - interval '60 days' WHERE claim_expires_at > now() + interval '59 days'`;
    await service.sql.query(sixtyDays);
    // It waits for an hour, as after any long lease.
    expect(idsOf(await at.claim())).toEqual([]);
    await service.sql.query(`UPDATE refunds SET claim_expires_at = claim_expires_at - interval '1 hour',
      claimable_at = claimable_at - interval '1 hour' WHERE status = 'pending' AND claimable_at > now()`);
    const [taken] = (await at.claim()).body.data;
    expect(taken).toMatchObject({ id, claim: { number: 2 }, provider_reference: 're_provider' });
    expect((await at.ledgerPost(`${REFUNDS}/${id}/extend`, long)).body.error.code).toBe('refund_claimed');
    expect((await at.succeed(id)).body).toMatchObject({ status: 'succeeded', provider_reference: 're_provider' });
    expect((await at.return(id, { reason: 'closed' })).body).toMatchObject({ status: 'failed', reason: 'closed' });
    await next.close();
  });

  test('nobody is called for a refund that a provider has', async () => {
    const own = await startService();
    const alone = await Shop.open(own);
    const { id } = (await alone.propose((await alone.record()).body.id, 1)).body;
    await alone.claim();
    const long = { claim: 1, lease_seconds: 5_184_000, provider_reference: 're_provider' };
    await alone.ledgerPost(`${REFUNDS}/${id}/extend`, long);
    expect(await scrape(own)).toMatchObject({
      'tillgate_refunds_pending{mode="test",claimed="yes"}': 1,
      'tillgate_refunds_oldest_pending_seconds{mode="test"}': 0,
    });
    await own.close();
  });

  test('from the fifth claim on, a pending refund is stuck', async () => {
    const { id } = (await propose()).body;
    for (let number = 1; number <= 5; number++) {
      await shop.claim();
      if (number < 5) await act(id, 'release', { claim: number });
    }
    expect((await scrape(service))['tillgate_refunds_stuck{mode="test"}']).toBe(1);
  });
});

test('a reference lets one of many proposals at once through, and the others see it, also when it takes all that is left', async () => {
  const all = await atOnce(12, () => untilDecided(() => propose({ amount: 5000, reference: 'all' })));
  expect(all.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
  expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
});
