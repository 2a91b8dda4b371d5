/**
 * These tests cover bounds, turns, leases and races of claims over two instances. The model and
 * conformance/cases/ledger.json cover what a claim allows.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { startService } from '../kit/service.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, type Reply, send, untilDecided } from '../support/client.js';
import { Holder } from '../support/holder.js';
import { lapse, leaseEnd } from '../support/leases.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop, type Twin } from '../support/shop.js';
import { createLedgerKey } from '../support/tenants.js';

const REFUNDS = '/ledger/v1/refunds';
const CLAIM = `${REFUNDS}/claim`;

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
  while (ids.length < count) ids.push((await at.propose(of, 1)).body.id);
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

// The claims of all organizations run first, before other tests leave refunds that nobody has
// claimed.
test('lets organizations take turns, also from claim to claim', async () => {
  const shops = [shop, ...(await atOnce(2, () => Shop.open(service, shop)))];
  const ownerOf = new Map<string, string>();
  for (const each of shops)
    for (const id of await propose(4, each)) ownerOf.set(id, each.organization);
  const owners: (string | undefined)[] = [];
  for (let at = 0; at < 12; at++)
    owners.push(ownerOf.get(idsOf(await shop.bare(CLAIM, { limit: 1 }))[0] as string));
  for (let round = 0; round < 4; round++)
    expect(new Set(owners.slice(3 * round, 3 * round + 3)).size).toBe(3);
  expect(idsOf(await shop.bare(CLAIM))).toEqual([]);
});

test('lets released refunds starve no refund of their own or another organization', async () => {
  const poison = await propose(10);
  expect(idsOf(await shop.claim())).toEqual(poison);
  for (const id of poison) await act(id, 'release', { claim: 1 });
  const [foreign, own] = [
    ...(await propose(1, await Shop.open(service, shop))),
    ...(await propose(1)),
  ];
  const next = idsOf(await shop.bare(CLAIM, { limit: 4 }));
  expect(next).toEqual(expect.arrayContaining([foreign, own]));
  expect(next).toHaveLength(4);
  await shop.bare(CLAIM, { limit: 100 });
});

test('hands out 200 refunds to 8 workers, each exactly once', async () => {
  const proposed = await atOnce(
    200,
    async () => (await shop.propose(payment, 1)).body.id as string,
  );
  const claimed = await atOnce(8, async (number) => {
    const at = number % 2 === 0 ? shop : shop.at(other);
    const mine: string[] = [];
    for (let batch = idsOf(await at.claim()); batch.length > 0; batch = idsOf(await at.claim()))
      mine.push(...batch);
    return mine;
  });
  // A worker that found nothing may have passed by a refund that another worker then gave up, but
  // none does so here.
  expect(claimed.flat().sort()).toEqual(proposed.sort());
});

// A worker looks at ten organizations at most, and twice at one where another worker was faster.
test('hands out one refund of each organization to 5 workers that begin at the same one', async () => {
  for (let round = 0; round < 10; round++) {
    const alone = await atOnce(5, proposeAlone);
    const claims = await atOnce(5, (number) =>
      (number % 2 ? shop : shop.at(other)).bare(CLAIM, { limit: 1 }),
    );
    expect(claims.flatMap(idsOf).sort()).toEqual(alone.map(({ id }) => id).sort());
  }
});

describe.each([
  ['of one organization', () => shop.claim()],
  ['of all organizations', () => shop.bare(CLAIM, { limit: 100 })],
])('a claim %s', (_, claim) => {
  test.each([
    ['was never claimed', async () => undefined],
    ['lapsed', (id: string) => lapse(service, id)],
  ])('skips a locked refund that %s', async (_case, prepare) => {
    const [locked = '', free = ''] = await propose(2);
    await claim();
    const release =
      'UPDATE refunds SET claim_expires_at = NULL, claimable_at = now() WHERE id = ANY ($1)';
    await service.sql.query(release, [[locked, free].map(uuidOf)]);
    await prepare(locked);
    const holder = await Holder.connect(service.databaseUrl);
    const lock = 'SELECT FROM refunds WHERE organization_id = $1 AND id = $2 FOR UPDATE';
    await holder.hold(lock, [shop.organization, locked].map(uuidOf));
    expect(idsOf(await claim())).toEqual([free]);
    await holder.end();
    expect(idsOf(await claim())).toEqual([locked]);
  });
});

test('claims ten refunds of any organization for a minute, unless it has other values', async () => {
  const own = await propose(12);
  const [foreign] = await propose(1, await Shop.open(service, shop));
  let before = now();
  const claimed = await shop.claim();
  expect(idsOf(claimed)).toEqual(own.slice(0, 10));
  expect(claimed.body.data[0].claim).toEqual({ number: 1, expires_at: leaseEnd(60, before) });
  before = now();
  const limited = await shop.claim({ limit: 1, lease_seconds: 120 });
  expect(limited.body.data).toMatchObject([
    { id: own[10], claim: { expires_at: leaseEnd(120, before) } },
  ]);
  expect(idsOf(await shop.bare(CLAIM, { limit: 100 }))).toContain(foreign);
  expect(idsOf(await shop.bare(CLAIM))).toEqual([]);
});

test('ignores the idempotency key, and claims again when the request is repeated', async () => {
  const [first, second] = await propose(2);
  const send = () =>
    shop.ledgerPost(CLAIM, { limit: 1, organization: shop.organization }, 'same-key');
  expect(idsOf(await send())).toEqual([first]);
  const again = await send();
  expect([idsOf(again), again.headers.get('idempotent-replayed')]).toEqual([[second], null]);
});

test.each([
  [1, {}],
  [2, { organization: undefined }],
])('takes only refunds of its own mode in a claim of %i organizations', async (count, body) => {
  const twins = await atOnce(count, () => Shop.openTwin(service));
  const proposed = MODES.map((mode) => Promise.all(twins.map((twin) => propose(2, twin[mode]))));
  const expected = (await Promise.all(proposed)).map((ids) => ids.flat().sort());
  const claims = MODES.map((mode) => (twins[0] as Twin)[mode].claim({ limit: 100, ...body }));
  expect((await Promise.all(claims)).map((claim) => idsOf(claim).sort())).toEqual(expected);
});

test('lets PostgreSQL refuse a claim on a refund that is not pending', async () => {
  const [id = ''] = await propose(1);
  await shop.cancel(id);
  const claim = `UPDATE refunds SET claim_number = 1, claim_expires_at = now() WHERE id = $1`;
  await expect(service.sql.query(claim, [uuidOf(id)])).rejects.toMatchObject({
    constraint: 'refunds_claim',
  });
});

/** Inserts refunds of so many organizations, all of them leased for 60 days but the last one. */
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

test('finds a refund behind thousands of organizations whose refunds are at a provider', async () => {
  const own = await startService();
  const key = await createLedgerKey(own);
  await own.sql.query(AT_PROVIDER, [2500]);
  const { body } = await send('POST', own.url + CLAIM, { key, body: { limit: 10 } });
  expect(body.data).toMatchObject([{ claim: { number: 1 } }]);
  await own.close();
});

test('refuses to cancel a claimed refund whose lease has ended, because it may be paid', async () => {
  const [id = ''] = await propose(1);
  await shop.claim();
  await lapse(service, id);
  const { status, body } = await shop.cancel(id);
  expect([status, body.error.code]).toEqual([422, 'refund_in_progress']);
  expect((await shop.get(`/v1/refunds/${id}`)).body.status).toBe('pending');
  await shop.succeed(id);
});

test('refuses to claim a released refund before its delay is over, but cancels it at once', async () => {
  const [id = ''] = await propose(1);
  await shop.claim();
  const released = await act(id, 'release', { claim: 1, delay_seconds: 604_800 });
  expect([released.status, released.body.claim]).toEqual([200, null]);
  expect(idsOf(await shop.claim())).toEqual([]);
  expect((await shop.cancel(id)).body.status).toBe('canceled');
  const { error } = (await act(id, 'release', { claim: 1, delay_seconds: 604_801 })).body;
  expect(error.errors).toMatchObject([{ param: 'delay_seconds', code: 'too_large' }]);
});

test('lets one of many proposals with one reference through, and answers the others with it', async () => {
  const body = { payment, amount: 5000, reference: 'all' };
  const all = await atOnce(12, () => untilDecided(() => shop.post('/v1/refunds', body)));
  expect(all.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
  expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
});
