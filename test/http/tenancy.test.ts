/**
 * The two modes of an organization: reads by id see both, lists and writes one. foreign-ids.test.ts has other organizations;
 * the sequences of the model run beside each other and see only their own.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { newId } from '../../src/shared/id.js';
import { isReplay, post, type Reply, SMALLEST } from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { createKey } from '../support/service.js';
import { useService } from '../support/setup.js';
import { Shop } from '../support/shop.js';

const SESSIONS = '/v1/checkout_sessions';
const MODES = ['test', 'live'] as const;
type Mode = (typeof MODES)[number];

const service = useService();
let owner: Readonly<Record<Mode, Shop>>;
let stranger: Readonly<Record<Mode, Shop>>;

beforeAll(async () => {
  owner = await openBoth();
  stranger = await openBoth();
});

/** One organization in both modes. */
async function openBoth() {
  const test = await Shop.open(service);
  return { test, live: await test.in('live', service) };
}

const createdBy = async (shop: Shop): Promise<string> => (await shop.createSession()).body.id;

describe.each(MODES)('what is in %s mode', (mode) => {
  const other = mode === 'test' ? 'live' : 'test';

  test('is read by id in the other mode too, the same bytes', async () => {
    const session = await createdBy(owner[mode]);
    const payment = (await owner[mode].record()).body.id;
    const refund = (await owner[mode].propose(payment, 1)).body.id;
    for (const path of [`${SESSIONS}/${session}`, `/v1/payments/${payment}`, `/v1/refunds/${refund}`]) {
      const [own, across] = [await owner[mode].get(path), await owner[other].get(path)];
      expect([own.status, own.body.mode ?? mode, across.status, across.text]).toEqual([200, mode, 200, own.text]);
      expect((await stranger[mode].get(path)).status).toBe(404);
    }
  });

  test('is listed in no other', async () => {
    const session = await createdBy(owner[mode]);
    const payment = (await owner[mode].record()).body.id;
    const refund = (await owner[mode].propose(payment, 1)).body.id;
    for (const [path, id] of [
      [SESSIONS, session],
      ['/v1/payments', payment],
      ['/v1/refunds', refund],
    ] as const) {
      expect((await owner[mode].idsOf(path))[0]).toBe(id);
      for (const elsewhere of [owner[other], stranger.test, stranger.live])
        expect(await elsewhere.idsOf(path)).not.toContain(id);
    }
  });

  test('is written in no other, and a refusal reserves no amount', async () => {
    const payment = (await owner[mode].record({ amount: 100 })).body.id;
    for (const elsewhere of [owner[other], stranger.test, stranger.live]) {
      const refused = await elsewhere.propose(payment, 1);
      expectError(refused, { status: 404, code: 'not_found', errors: [['payment', 'invalid_value']] });
      expect(seen(refused)).toEqual(seen(await elsewhere.propose(newId(PAYMENT_ID, Date.now(), mode), 1)));
    }
    expect((await owner[mode].amountsOf(payment)).pending).toBe(0);
  });
});

/** All that a caller sees, but for what names this one request. */
function seen({ status, headers, text, body }: Reply): unknown {
  const rest = [...headers].filter(([name]) => !['request-id', 'date'].includes(name));
  return { status, headers: rest, text: text.replace(body.request_id, '') };
}

test('a cursor of another organization is only a position', async () => {
  const fresh = await openBoth();
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
    const shops = [owner.test, owner.live, stranger.test, stranger.live];
    const payments = await Promise.all(shops.map(async (shop) => (await shop.record({ amount: 100 })).body.id));
    const replies = await Promise.all(
      shops.flatMap((shop, at) => [
        shop.post(SESSIONS, SMALLEST, 'shared'),
        shop.post('/v1/refunds', { payment: payments[at], amount: 1 }, 'shared'),
      ]),
    );
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual(replies.map(() => [201, false]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(replies.length);
  });

  test('is shared by the API keys of an organization and mode', async () => {
    const first = await owner.test.post(SESSIONS, SMALLEST, 'rotated');
    const key = await createKey(service, { organization: owner.test.organization });
    const second = await post(service.url + SESSIONS, { key, body: SMALLEST, idempotencyKey: 'rotated' });
    expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  });
});
