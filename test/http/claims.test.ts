/** Defaults and bounds of claims; the model and conformance/cases/ledger.json have what a claim allows. */
import { expect, test } from '@jest/globals';
import { MODES } from '../../src/shared/caller.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { atOnce } from '../support/client.js';
import { Shop, type Twin } from '../support/shop.js';

const CLAIM = '/ledger/v1/refunds/claim';

const service = useService();
const shop = useShop(service);

async function propose(count: number, at: Shop = shop): Promise<string[]> {
  const payment = (await at.record()).body.id;
  const ids: string[] = [];
  while (ids.length < count) ids.push((await at.propose(payment, 1)).body.id);
  return ids;
}

interface Claimed {
  readonly body: { readonly data: readonly { readonly id: string; readonly claim: object }[] };
}

const idsOf = ({ body }: Claimed) => body.data.map(({ id }) => id);
/** The end of a lease of so many seconds, from an instant before the claim until now. */
const endOf = (seconds: number, before: number) => ({
  asymmetricMatch: (at: unknown) => Number(at) - seconds >= before && Number(at) - seconds <= Date.now() / 1000 + 1,
});
const now = () => Math.floor(Date.now() / 1000);

test('a claim takes ten unless it has a limit, for a minute unless it has a lease, of any organization', async () => {
  const own = await propose(12);
  const [foreign] = await propose(1, await Shop.open(service, shop));
  let before = now();
  const claimed = await shop.claim();
  expect(idsOf(claimed)).toEqual(own.slice(0, 10));
  expect(claimed.body.data[0].claim).toEqual({ number: 1, expires_at: endOf(60, before) });
  before = now();
  const limited = await shop.claim({ limit: 1, lease_seconds: 120 });
  expect(limited.body.data).toMatchObject([{ id: own[10], claim: { expires_at: endOf(120, before) } }]);
  expect(idsOf(await shop.bare(CLAIM, { limit: 100 }))).toContain(foreign);
  expect(idsOf(await shop.bare(CLAIM))).toEqual([]);
});

test('a claim ignores the idempotency key: repeating the request claims again', async () => {
  const [first, second] = await propose(2);
  const send = () => shop.ledgerPost(CLAIM, { limit: 1, organization: shop.organization }, 'same-key');
  expect(idsOf(await send())).toEqual([first]);
  const again = await send();
  expect([idsOf(again), again.headers.get('idempotent-replayed')]).toEqual([[second], null]);
});

test.each([
  [1, {}],
  [2, { organization: undefined }],
])('a claim of %i organizations has its own mode', async (count, body) => {
  const twins = await atOnce(count, () => Shop.openTwin(service));
  const proposed = MODES.map((mode) => Promise.all(twins.map((twin) => propose(2, twin[mode]))));
  const expected = (await Promise.all(proposed)).map((ids) => ids.flat().sort());
  const claims = MODES.map((mode) => (twins[0] as Twin)[mode].claim({ limit: 100, ...body }));
  expect((await Promise.all(claims)).map((claim) => idsOf(claim).sort())).toEqual(expected);
});

test('PostgreSQL itself refuses a claim on a refund that is not pending', async () => {
  const [id = ''] = await propose(1);
  await shop.cancel(id);
  const claim = `UPDATE refunds SET claim_number = 1, claim_expires_at = now() WHERE id = $1`;
  await expect(service.sql.query(claim, [uuidOf(id)])).rejects.toMatchObject({ constraint: 'refunds_claim' });
});
