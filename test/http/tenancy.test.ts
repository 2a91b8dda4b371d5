/**
 * The two modes of an organization: reads by id see both, lists have one, and so have idempotency keys. foreign-ids.test.ts has
 * what is written under an ID; the sequences of the model run in both modes, beside each other.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { MODES } from '../../src/shared/caller.js';
import { newId } from '../../src/shared/id.js';
import { isReplay, post, SMALLEST } from '../support/client.js';
import { createKey } from '../support/service.js';
import { useService, useTwin } from '../support/setup.js';
import { Shop } from '../support/shop.js';

const SESSIONS = '/v1/checkout_sessions';
const DAY = 24 * 3600;

const service = useService();
const owner = useTwin(service, beforeAll);
const stranger = useTwin(service, beforeAll);
let shops: readonly Shop[];

interface Made {
  readonly session: string;
  readonly payment: string;
  readonly refund: string;
}

const createdBy = async (shop: Shop): Promise<string> => (await shop.createSession()).body.id;

/** One of everything that is listed, with the same references and amounts in each mode. */
async function makeAll(shop: Shop): Promise<Made> {
  const session = await createdBy(shop);
  const payment = await shop.capture({ reference: 'capture' });
  const refund = (await shop.post('/v1/refunds', { payment, amount: 1, reference: 'back' })).body.id;
  await shop.hold(payment, { amount: 1, reference: 'dispute' });
  const url = 'https://receiver.test/';
  await shop.post('/v1/webhook_endpoints', { url });
  return { session, payment, refund };
}

let made: readonly Made[];

beforeAll(async () => {
  shops = [owner, stranger].flatMap((twin) => MODES.map((mode) => twin[mode]));
  made = await Promise.all(shops.map(makeAll));
  for (const mode of MODES)
    await owner[mode].ledgerPost('/ledger/v1/webhook_endpoints', { url: 'https://receiver.test/' });
});

describe('of what is alike in two organizations and both modes of each', () => {
  test.each([
    [SESSIONS, 1],
    ['/v1/payments', 1],
    ['/v1/refunds', 1],
    ['/v1/refunds?reference=back', 1],
    ['/v1/webhook_endpoints', 1],
    ['/v1/events', 4],
    ['/v1/events?order=asc&type=refund.created', 1],
    ['/ledger/v1/payments?organization=', 1],
    ['/ledger/v1/payments?reference=capture&organization=', 1],
    ['/ledger/v1/refunds?organization=', 1],
    ['/ledger/v1/holds?organization=', 1],
    ['/ledger/v1/events?organization=', 4],
  ])('%s has the own %i', async (path, count) => {
    const lists = shops.map((shop) => shop.idsOf(path.endsWith('=') ? path + shop.organization : path));
    const ids = await Promise.all(lists);
    expect(ids.map(({ length }) => length)).toEqual(shops.map(() => count));
    expect(new Set(ids.flat()).size).toBe(shops.length * count);
  });

  test.each([
    ['/ledger/v1/payments', 2],
    ['/ledger/v1/payments?reference=capture', 2],
    ['/ledger/v1/refunds', 2],
    ['/ledger/v1/holds', 2],
    ['/ledger/v1/events', 8],
    ['/ledger/v1/events?order=asc&type=refund.created', 2],
    ['/ledger/v1/webhook_endpoints', 1],
  ])('%s has the %i of its mode', async (path, count) => {
    const ids = await Promise.all(MODES.map((mode) => owner[mode].idsOf(path)));
    expect(ids.map(({ length }) => length)).toEqual([count, count]);
    expect(new Set(ids.flat()).size).toBe(2 * count);
  });

  test('each is read by id in both modes, the same bytes, and by nobody else', async () => {
    for (const [at, { session, payment, refund }] of made.entries()) {
      const twin = at < MODES.length ? owner : stranger;
      const other = twin === owner ? stranger : owner;
      for (const path of [`${SESSIONS}/${session}`, `/v1/payments/${payment}`, `/v1/refunds/${refund}`]) {
        const [one, two] = [await twin.test.get(path), await twin.live.get(path)];
        expect([one.status, two.status, two.text]).toEqual([200, 200, one.text]);
        for (const mode of MODES) expect((await other[mode].get(path)).status).toBe(404);
      }
    }
  });
});

test('a cursor of another organization is only a position', async () => {
  const fresh = await Shop.openTwin(service);
  const older = [await createdBy(fresh.test), await createdBy(fresh.test)];
  // All three name the same moment of the list: nobody's id, the stranger's and the other mode's.
  const cursors = [newId(CHECKOUT_SESSION_ID, Date.now(), 'test'), await createdBy(stranger.test)];
  cursors.push(await createdBy(fresh.live));
  await createdBy(fresh.test);
  for (const cursor of cursors)
    expect(await fresh.test.idsOf(`${SESSIONS}?cursor=${cursor}`)).toEqual(older.toReversed());
});

describe('an idempotency key', () => {
  test('is separate for each organization, mode and operation', async () => {
    const replies = await Promise.all(
      shops.flatMap((shop, at) => [
        shop.post(SESSIONS, SMALLEST, 'shared'),
        shop.post('/v1/refunds', { payment: made[at]?.payment, amount: 1 }, 'shared'),
      ]),
    );
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual(replies.map(() => [201, false]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(replies.length);
  });

  test.each(MODES)(
    'that %s mode has repeated is new in the other one, and ends by the clock of its own',
    async (first) => {
      const twin = await Shop.openTwin(service);
      const create = (mode: (typeof MODES)[number]) => twin[mode].post(SESSIONS, SMALLEST, 'alike');
      const [one, again] = [await create(first), await create(first)];
      expect([again.text, isReplay(again)]).toEqual([one.text, true]);
      const other = await create(first === 'test' ? 'live' : 'test');
      expect([other.status, isReplay(other)]).toEqual([201, false]);
      await twin.test.post('/v1/test_helpers/clock', { advance_seconds: DAY });
      expect(isReplay(await create('test'))).toBe(false);
      expect((await create('live')).text).toBe((first === 'live' ? one : other).text);
    },
  );

  test('is shared by the API keys of an organization and mode', async () => {
    const first = await owner.test.post(SESSIONS, SMALLEST, 'rotated');
    const key = await createKey(service, { organization: owner.test.organization });
    const second = await post(service.url + SESSIONS, { key, body: SMALLEST, idempotencyKey: 'rotated' });
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });
});
