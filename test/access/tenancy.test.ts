/**
 * An organization sees both modes when it reads by ID, and one mode in a list or under an
 * idempotency key. The tests of foreign-ids.test.ts cover what is written under an ID. The model's
 * sequences run in both modes at once.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { MODES, type Mode } from '../../src/shared/caller.js';
import { newId, uuidOf } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { isReplay, post, SMALLEST } from '../support/client.js';
import { useTwin } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const SESSIONS = '/v1/checkout_sessions';
const ENDPOINT = { url: 'https://receiver.test/' };

const service = useService();
const owner = useTwin(service, beforeAll);
const stranger = useTwin(service, beforeAll);
let shops: readonly Shop[];
let made: readonly Record<'session' | 'payment' | 'refund', string>[];

const createdBy = async (shop: Shop): Promise<string> => (await shop.createSession()).body.id;

/** Makes one of everything that is listed, with the same references and amounts in each mode. */
async function makeAll(shop: Shop) {
  const session = await createdBy(shop);
  const payment = await shop.capture({ reference: 'capture' });
  const refund = (await shop.post('/v1/refunds', { payment, amount: 1, reference: 'back' })).body
    .id;
  await shop.recordRefund(payment, { amount: 1 });
  await shop.hold(payment, { amount: 1, reference: 'dispute' });
  await shop.post('/v1/webhook_endpoints', ENDPOINT);
  return { session, payment, refund };
}

beforeAll(async () => {
  shops = [owner, stranger].flatMap((twin) => MODES.map((mode) => twin[mode]));
  made = await Promise.all(shops.map(makeAll));
  for (const mode of MODES) await owner[mode].ledgerPost('/ledger/v1/webhook_endpoints', ENDPOINT);
});

describe('two organizations with equal resources in both modes', () => {
  test.each([
    [SESSIONS, 1],
    ['/v1/payments', 1],
    ['/v1/refunds', 2],
    ['/v1/refunds?reference=back', 1],
    ['/v1/webhook_endpoints', 1],
    ['/v1/events?limit=1', 6],
    ['/v1/events?order=asc&type=refund.created', 2],
    ['/ledger/v1/payments?organization=', 1],
    ['/ledger/v1/payments?limit=1&reference=capture&organization=', 1],
    ['/ledger/v1/refunds?organization=', 1],
    ['/ledger/v1/holds?organization=', 1],
    ['/ledger/v1/events?organization=', 6],
    ['/ledger/v1/payments', 2],
    ['/ledger/v1/payments?limit=1&reference=capture', 2],
    ['/ledger/v1/refunds', 2],
    ['/ledger/v1/holds', 2],
    ['/ledger/v1/events?limit=3', 12],
    ['/ledger/v1/events?order=asc&type=refund.created', 4],
    ['/ledger/v1/webhook_endpoints', 1],
  ])('list at %s exactly their own %i resources', async (path, count) => {
    // Without an organization, a ledger lists the resources of all organizations.
    const readers =
      path.startsWith('/v1/') || path.endsWith('=') ? shops : MODES.map((mode) => owner[mode]);
    const ids = await Promise.all(
      readers.map((one) => one.idsOf(path.endsWith('=') ? path + one.organization : path)),
    );
    expect(ids.map(({ length }) => length)).toEqual(readers.map(() => count));
    expect(new Set(ids.flat()).size).toBe(readers.length * count);
  });

  test('read each resource by ID from both modes, with the same bytes, and nobody else reads it', async () => {
    for (const [at, { session, payment, refund }] of made.entries()) {
      const twin = at < MODES.length ? owner : stranger;
      const other = twin === owner ? stranger : owner;
      for (const path of [
        `${SESSIONS}/${session}`,
        `/v1/payments/${payment}`,
        `/v1/refunds/${refund}`,
      ]) {
        const [one, two] = [await twin.test.get(path), await twin.live.get(path)];
        expect([one.status, two.status, two.text]).toEqual([200, 200, one.text]);
        for (const mode of MODES) expect((await other[mode].get(path)).status).toBe(404);
      }
    }
  });
});

test('takes a cursor of another organization only as a position', async () => {
  const fresh = await Shop.openTwin(service);
  const older = [await createdBy(fresh.test), await createdBy(fresh.test)];
  // All three cursors name the same moment of the list. One is nobody's ID, one is the stranger's,
  // and one is of the other mode.
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
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual(
      replies.map(() => [201, false]),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(replies.length);
  });

  test.each<[Mode, Mode]>([
    ['test', 'live'],
    ['live', 'test'],
  ])('is used in %s mode and still new in %s mode', async (one, other) => {
    const twin = await Shop.openTwin(service);
    const create = (mode: Mode, key = 'alike') => twin[mode].post(SESSIONS, SMALLEST, key);
    const first = await create(one);
    expect((await create(one)).text).toBe(first.text);
    // A caller that has just repeated a request takes another path, on which its key is looked up
    // first.
    for (let again = 0; again < 2; again++) await create(other, 'its own');
    const second = await create(other);
    expect([second.status, isReplay(second), second.body.id === first.body.id]).toEqual([
      201,
      false,
      false,
    ]);
    const expire = `UPDATE idempotency_keys SET expires_at = now() WHERE organization_id = $1 AND mode = 'test' AND key = 'alike'`;
    await service.sql.query(expire, [uuidOf(twin.test.organization)]);
    // The end of the key in test mode must leave the response of live mode.
    expect(isReplay(await create('test'))).toBe(false);
    expect((await create('live')).text).toBe((one === 'live' ? first : second).text);
  });

  test('is shared by the API keys of an organization and mode', async () => {
    const first = await owner.test.post(SESSIONS, SMALLEST, 'rotated');
    const key = await createKey(service, { organization: owner.test.organization });
    const second = await post(service.url + SESSIONS, {
      key,
      body: SMALLEST,
      idempotencyKey: 'rotated',
    });
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });
});
