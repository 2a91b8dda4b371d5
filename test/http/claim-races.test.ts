/** Concurrent claims on two instances: no refund is in two claims, and none is claimed after it has ended. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce as many, type Reply } from '../support/client.js';
import { Holder } from '../support/holder.js';
import { atOnce, inRaces } from '../support/races.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const PATH = '/ledger/v1/refunds';
const WORKERS = 8;
const REFUNDS = 200;

const service = useService();
const other = useOther(service);
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);
const lapse = (id: string) =>
  service.sql.query(
    `UPDATE refunds SET claim_expires_at = now() - interval '1 second', claimable_at = now() WHERE id = $1`,
    [uuidOf(id)],
  );

/** A refund that is the only one of its organization, so that its claims are of this one or of none. */
async function proposeAlone(): Promise<{ own: Shop; id: string }> {
  const own = await Shop.open(service, { ledgerKey: shop.ledgerKey });
  return { own, id: (await own.propose((await own.record()).body.id, 1)).body.id };
}

test(`${WORKERS} workers claim ${REFUNDS} refunds, each exactly once`, async () => {
  const payment = (await shop.record()).body.id;
  const proposed = await many(REFUNDS, async () => (await shop.propose(payment, 1)).body.id as string);
  const claimed = await many(WORKERS, async (number) => {
    const at = number % 2 === 0 ? shop : shop.at(other);
    const mine: string[] = [];
    for (let batch = idsOf(await at.claim()); batch.length > 0; batch = idsOf(await at.claim())) mine.push(...batch);
    return mine;
  });
  // A worker that found nothing may have passed by what another one then gave up: none does here.
  expect(claimed.flat().sort()).toEqual(proposed.sort());
});

// A worker looks at ten organizations at most, at one twice when another worker was faster.
test('5 workers that claim one refund each find one of each organization, though all begin at the same one', async () => {
  for (let round = 0; round < 10; round++) {
    const alone = await many(5, proposeAlone);
    const claims = await many(5, (number) => (number % 2 ? shop : shop.at(other)).bare(`${PATH}/claim`, { limit: 1 }));
    expect(claims.flatMap(idsOf).sort()).toEqual(alone.map(({ id }) => id).sort());
  }
});

describe.each([
  ['of one organization', () => shop.claim()],
  ['of all organizations', () => shop.bare(`${PATH}/claim`, { limit: 100 })],
])('a claim %s skips locked refunds', (_, claim) => {
  test.each([
    ['was never claimed', async () => undefined],
    ['lapsed', lapse],
  ])('and %s', async (_case, prepare) => {
    const payment = (await shop.record()).body.id;
    const [locked, free] = [(await shop.propose(payment, 1)).body.id, (await shop.propose(payment, 1)).body.id];
    await claim();
    for (const id of [locked, free])
      await service.sql.query('UPDATE refunds SET claim_expires_at = NULL, claimable_at = now() WHERE id = $1', [
        uuidOf(id),
      ]);
    await prepare(locked);
    const holder = await Holder.connect(service.databaseUrl);
    await holder.hold('SELECT FROM refunds WHERE id = $1 FOR UPDATE', [uuidOf(locked)]);
    expect(idsOf(await claim())).toEqual([free]);
    await holder.end();
    expect(idsOf(await claim())).toEqual([locked]);
  });
});

test('of a cancel and a claim exactly one wins', async () => {
  await inRaces(async (number) => {
    const { own, id } = await proposeAlone();
    const [canceled, claimed] = await atOnce([() => own.at(other).cancel(id), () => own.claim()], number);
    const isCanceled = canceled?.status === 200;
    expect(canceled?.body.error?.code).toBe(isCanceled ? undefined : 'refund_in_progress');
    expect(claimed?.body.data).toMatchObject(isCanceled ? [] : [{ id, claim: { number: 1 } }]);
  });
});

test.each([
  ['fail', { claim: 1 }],
  ['extend', { claim: 1, lease_seconds: 600 }],
])('of a late %s and the claim that takes the refund over exactly one wins', async (action, body) => {
  await inRaces(async (number) => {
    const { own, id } = await proposeAlone();
    await own.claim();
    await lapse(id);
    const late = () => own.at(other).ledgerPost(`${PATH}/${id}/${action}`, body);
    const [extended, claimed] = await atOnce([late, () => own.claim()], number);
    expect(extended?.body.error?.code).toBe(extended?.status === 200 ? undefined : 'refund_claimed');
    expect(claimed?.body.data).toMatchObject(extended?.status === 200 ? [] : [{ id, claim: { number: 2 } }]);
  });
});
