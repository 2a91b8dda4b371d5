/** The ledger can record a capture repeatedly: its idempotency key and its reference each make it one payment. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Reply } from '../support/client.js';
import { readResource, refusal } from '../support/envelope.js';
import { expectBalanced } from '../support/reconciled.js';
import { createLedgerKey } from '../support/service.js';
import { useOther, useService, useShop } from '../support/setup.js';
import { Shop } from '../support/shop.js';

const RACERS = 50;

const service = useService();
const other = useOther(service);
const shop = useShop(service);

/** Half of the requests to each instance, all at once. */
function race(request: (shop: Shop, racer: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: RACERS }, (_, racer) => request(shop.at(racer % 2 ? service : other), racer)),
  );
}

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
const idsOf = (replies: readonly Reply[]) => [...new Set(replies.map(({ body }) => body.id))];
const ONE_NEW = [...Array<number>(RACERS - 1).fill(200), 201];

async function countPayments(ids: readonly string[]): Promise<number> {
  const found = await Promise.all(ids.map((id) => shop.get(`/v1/payments/${id}`)));
  return found.filter(({ status }) => status === 200).length;
}

test('the same reference returns the current state of the payment', async () => {
  const { id } = (await shop.record({ reference: 'txn/1' })).body;
  await shop.propose(id, 1200);
  const { body } = await shop.record({ reference: 'txn/1' });
  expect(body).toMatchObject({ id, amount_pending_refund: 1200, amount_refundable: 3800 });
});

test('a session paid before is found by the reference, not refused', async () => {
  const session = (await shop.createSession()).body.id;
  const facts = { amount: 1000, checkout_session: session, reference: 'txn/1' };
  const first = await shop.record(facts);
  const second = await shop.record(facts);
  expect([second.status, second.body]).toEqual([200, first.body]);
});

test('the same reference with another amount, currency or session is refused', async () => {
  const session = (await shop.createSession()).body.id;
  const { id } = (await shop.record({ amount: 1000, reference: 'txn/1' })).body;
  for (const facts of [{ amount: 1001 }, { currency: 'eur' }, { checkout_session: session }]) {
    const refused = await shop.record({ amount: 1000, reference: 'txn/1', ...facts });
    expect(refused.status).toBe(422);
    const errors = [{ param: 'reference', code: 'invalid_value' }];
    const next = readResource(`/ledger/v1/payments/${id}?organization=${shop.organization}`);
    expect(refused.body).toEqual(refusal('payment_reference_reused', next, errors));
    expect((await shop.ledgerGet(next.path)).body).toMatchObject({ id, amount: 1000, organization: shop.organization });
  }
  expect((await shop.get(`/v1/checkout_sessions/${session}`)).body.status).toBe('open');
});

test('a reference is unique within an organization and mode', async () => {
  const neighbour = await Shop.open(service);
  const liveKey = await createLedgerKey(service, 'live');
  const { url, tenant } = shop;
  const live = Object.assign(Object.create(Shop.prototype) as Shop, { url, tenant, mode: 'live', ledgerKey: liveKey });
  const recorded = await Promise.all([shop, neighbour, live].map((one) => one.record({ reference: 'shared' })));
  expect(statusesOf(recorded)).toEqual([201, 201, 201]);
  expect(idsOf(recorded)).toHaveLength(3);
});

test('50 at once with one reference and 50 keys record one payment', async () => {
  const replies = await race((at) => at.record({ reference: 'race' }));
  expect(statusesOf(replies)).toEqual(ONE_NEW);
  expect(idsOf(replies)).toHaveLength(1);
  expect(await countPayments(idsOf(replies))).toBe(1);
  await expectBalanced(service);
});

test('50 at once with one reference for one session complete it once', async () => {
  const session = (await shop.createSession()).body.id;
  const replies = await race((at) => at.record({ amount: 1000, checkout_session: session, reference: 'race' }));
  expect(statusesOf(replies)).toEqual(ONE_NEW);
  expect(idsOf(replies)).toHaveLength(1);
  await expectBalanced(service);
});

test('50 at once with one key get the same bytes', async () => {
  const key = randomUUID();
  const replies = await race((at) => at.record({}, key));
  expect(statusesOf(replies)).toEqual(Array<number>(RACERS).fill(201));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
});

test('50 at once with one reference and other amounts record one and refuse the others', async () => {
  const replies = await race((at, racer) => at.record({ reference: 'race', amount: 1 + racer }));
  expect(statusesOf(replies)).toEqual([201, ...Array<number>(RACERS - 1).fill(422)]);
});
