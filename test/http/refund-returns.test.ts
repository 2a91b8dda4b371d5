/** A succeeded refund whose money came back. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { expectBalanced } from '../support/reconciled.js';
import { readResource, refusal } from '../support/refused-answer.js';
import { type Service, startService } from '../support/service.js';
import { ownedRefund, Shop, unknownId } from '../support/shop.js';

let service: Service;
let shop: Shop;
let payment: string;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await Shop.open(service);
  payment = (await shop.record()).body.id;
});

afterEach(() => expectBalanced(service));

afterAll(() => service.close());

const propose = async () => (await shop.propose(payment, 1200)).body;

test('is failed, its amount is free again, and its event has the next sequence number and the reason', async () => {
  const refund = await propose();
  const details = { reference: null, description: null, provider_reference: null };
  const succeeded = (await shop.succeed(refund.id)).body;
  expect(await shop.amountsOf(payment)).toMatchObject({ refunded: 1200, left: 3800 });
  const returned = await shop.return(refund.id, { reason: 'account closed' });
  expect([returned.status, returned.body]).toEqual([200, { ...succeeded, status: 'failed', reason: 'account closed' }]);
  expect(await shop.amountsOf(payment)).toMatchObject({ refunded: 0, pending: 0, left: 5000 });
  const events = (await shop.get(`/v1/events?object=${refund.id}&order=asc`)).body.data;
  expect(events.map(({ type, sequence, data }: Record<string, unknown>) => [type, sequence, data])).toEqual([
    ['refund.created', 1, { object: refund, reason: null, ...details }],
    ['refund.succeeded', 2, { object: { ...refund, status: 'succeeded' }, reason: null, ...details }],
    ['refund.failed', 3, { object: { ...refund, status: 'failed' }, reason: 'account closed', ...details }],
  ]);
});

test('repeating it or failing the refund changes nothing', async () => {
  const { id } = await propose();
  await shop.succeed(id);
  const first = await shop.return(id);
  for (const answer of [await shop.return(id, { reason: 'another' }), await shop.fail(id, { reason: 'another' })]) {
    expect([answer.status, answer.body]).toEqual([200, first.body]);
  }
  expect((await shop.get(`/v1/events?object=${id}`)).body.data).toHaveLength(3);
  expect((await shop.succeed(id)).body.error.code).toBe('refund_not_pending');
});

test('a refund that had failed before stays as it is', async () => {
  const refund = await propose();
  const failed = (await shop.fail(refund.id)).body;
  const returned = await shop.return(refund.id, { reason: 'late' });
  expect([returned.status, returned.body]).toEqual([200, failed]);
  expect(failed).toEqual({ ...ownedRefund(shop.organization, refund), status: 'failed' });
});

test.each([
  ['pending', async () => undefined],
  ['claimed', async () => shop.claim()],
  ['canceled', async (id: string) => shop.cancel(id)],
])('one that is %s is refused', async (_, prepare) => {
  const { id } = await propose();
  await prepare(id);
  const refused = await shop.return(id);
  const next = readResource(`/ledger/v1/refunds/${id}`);
  const expected = refusal('refund_not_succeeded', next, [{ param: 'id', code: 'invalid_value' }]);
  expect([refused.status, refused.body]).toEqual([422, expected]);
});

test('takes a reason of up to 500 characters, honours an idempotency key, and does not find an unknown refund', async () => {
  const { id } = await propose();
  await shop.succeed(id);
  const path = `/ledger/v1/refunds/${id}/return`;
  expect((await shop.return(id, { reason: 'r'.repeat(501) })).status).toBe(400);
  const send = () => shop.ledgerPost(path, { reason: 'r'.repeat(500) }, 'return-1');
  const [first, again] = [await send(), await send()];
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
  expect((await shop.return(unknownId('re_test'))).status).toBe(404);
});
