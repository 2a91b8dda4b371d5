/** Disputes: what is on hold cannot be refunded, until it is released. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { expectBalanced } from '../support/reconciled.js';
import { readResource, refusal } from '../support/refused-answer.js';
import { type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

const UNKNOWN = 'hold_01k0000000fzzvzzvzzvzzvzzv';

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

const path = () => `/ledger/v1/payments/${payment}/holds`;
const read = async () => (await shop.get(`/v1/payments/${payment}`)).body;
const hold = (facts: object = {}) => ({
  id: expect.stringMatching(/^hold_[0-9a-z]{26}$/),
  object: 'payment.hold',
  organization: shop.organization,
  mode: 'test',
  payment,
  amount: 5000,
  reason: null,
  reference: null,
  status: 'active',
  created: expect.any(Number),
  ...facts,
});

test('a payment can be held and released however many events it has', async () => {
  const many = 32_767;
  const uuid = [uuidOf(payment)];
  await service.sql.query(`UPDATE payments SET version = ${many} WHERE id = $1`, uuid);
  await service.sql.query(`UPDATE events SET sequence = ${many} WHERE object_id = $1`, uuid);
  const { body } = await shop.hold(payment);
  expect((await shop.releaseHold(body.id)).status).toBe(200);
  const events = (await shop.get(`/v1/events?object=${payment}&order=asc`)).body.data;
  expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual([many, many + 1, many + 2]);
});

test('holds all that is left, can be read, and is released once', async () => {
  await shop.propose(payment, 1200);
  const placed = await shop.hold(payment);
  expect([placed.status, placed.body]).toEqual([201, hold({ amount: 3800 })]);
  expect(Object.keys(placed.body)).toEqual(Object.keys(hold()));
  const { id } = placed.body;
  expect(placed.headers.get('location')).toBe(`/ledger/v1/holds/${id}`);
  expect((await shop.ledgerGet(`/ledger/v1/holds/${id}`)).body).toEqual(placed.body);
  const held = await read();
  expect(held).toMatchObject({ amount_pending_refund: 1200, amount_on_hold: 3800, amount_refundable: 0 });
  for (let time = 0; time < 2; time++) {
    const released = await shop.releaseHold(id);
    expect([released.status, released.body]).toEqual([200, { ...placed.body, status: 'released' }]);
  }
  const after = await read();
  expect(after).toMatchObject({ amount_on_hold: 0, amount_refundable: 3800 });
  const events = (await shop.get(`/v1/events?object=${payment}&order=asc`)).body.data;
  expect(events.map(({ type, sequence, data }: Record<string, unknown>) => [type, sequence, data])).toEqual([
    ['payment.created', 1, expect.anything()],
    ['payment.held', 2, { object: held, reason: null }],
    ['payment.released', 3, { object: after, reason: null }],
  ]);
});

test('several overlap, and are listed newest first', async () => {
  const first = (await shop.hold(payment, { amount: 2000, reason: 'fraudulent', reference: 'dispute-1' })).body;
  const second = (await shop.hold(payment, { amount: 500 })).body;
  expect(first).toEqual(hold({ amount: 2000, reason: 'fraudulent', reference: 'dispute-1' }));
  const listed = (await shop.ledgerGet(path())).body;
  const data = [second, first];
  expect(listed).toEqual({ object: 'list', data, has_more: false, next_cursor: null, items: data, nextCursor: null });
  const page = (await shop.ledgerGet(`${path()}?limit=1`)).body;
  expect(page).toMatchObject({ data: [second], has_more: true, next_cursor: second.id });
  expect((await shop.ledgerGet(`${path()}?cursor=${page.next_cursor}`)).body.data).toEqual([first]);
  await shop.releaseHold(first.id);
  expect(await read()).toMatchObject({ amount_on_hold: 500, amount_refundable: 4500 });
});

test('more than is left is refused, and so is any amount if nothing is left', async () => {
  await shop.hold(payment, { amount: 4000 });
  const lower = { type: 'lower_amount', path: path(), method: 'POST' };
  const tooMuch = await shop.hold(payment, { amount: 1001 });
  const error = { param: 'amount', code: 'too_large', allowed: ['1000'] };
  expect([tooMuch.status, tooMuch.body]).toEqual([422, refusal('hold_exceeds_remaining', lower, [error])]);
  const proposal = await shop.propose(payment, 1001);
  expect(proposal.body.error).toMatchObject({ code: 'refund_exceeds_remaining', errors: [{ allowed: ['1000'] }] });

  await shop.hold(payment);
  const next = readResource(`/ledger/v1/payments/${payment}?organization=${shop.organization}`);
  const empty = refusal('payment_not_refundable', next, [{ param: 'id', code: 'invalid_value' }]);
  for (const body of [{}, { amount: 1 }]) {
    const refused = await shop.hold(payment, body);
    expect([refused.status, refused.body]).toEqual([422, empty]);
  }
  const refund = await shop.propose(payment, 1);
  expect([refund.status, refund.body.error.code, refund.body.error.param]).toEqual([
    422,
    'payment_not_refundable',
    'payment',
  ]);
});

test.each([
  [{ amount: 0 }, 'amount', 'too_small'],
  [{ amount: '1' }, 'amount', 'invalid_type'],
  [{ reason: 'r'.repeat(501) }, 'reason', 'too_long'],
  [{ reference: 'a b' }, 'reference', 'invalid_format'],
  [{ currency: 'usd' }, 'currency', 'unknown_field'],
])('refuses %j', async (body, param, code) => {
  const refused = await shop.hold(payment, body);
  expect([refused.status, refused.body.error.errors]).toMatchObject([400, [{ param, code }]]);
});

test('a payment or hold that is unknown, or of the other mode', async () => {
  const live = await Shop.open(service, { mode: 'live' });
  const { id } = (await shop.hold(payment, { amount: 1 })).body;
  const answers = [
    await shop.hold(unknownId('pay_test')),
    await live.hold(payment),
    await shop.ledgerGet(`/ledger/v1/payments/${unknownId('pay_test')}/holds`),
    await shop.ledgerGet(`/ledger/v1/holds/${UNKNOWN}`),
    await live.ledgerGet(`/ledger/v1/holds/${id}`),
    await shop.releaseHold(UNKNOWN),
    await live.releaseHold(id),
  ];
  expect(answers.map(({ status, body }) => [status, body.error.code, body.error.param])).toEqual(
    answers.map(() => [404, 'not_found', 'id']),
  );
  expect((await shop.hold('pay_1')).status).toBe(400);
});

test('a hold is found with or without its organization, and not with another one', async () => {
  const other = await Shop.open(service);
  const by = ({ organization }: Shop) => `?organization=${organization}`;
  const placed = await shop.hold(payment, { amount: 1, organization: shop.organization });
  expect([placed.status, placed.body]).toEqual([201, hold({ id: placed.body.id, amount: 1 })]);
  const { id } = placed.body;
  const at = `/ledger/v1/holds/${id}`;
  const release = ({ organization }: Shop) => shop.ledgerPost(`${at}/release`, { organization });
  expect((await shop.ledgerGet(`${at}${by(shop)}`)).body).toEqual(placed.body);
  expect((await shop.ledgerGet(`${path()}${by(shop)}`)).body.data).toEqual([placed.body]);
  const answers = [
    await shop.hold(payment, { organization: other.organization }),
    await shop.ledgerGet(`${path()}${by(other)}`),
    await shop.ledgerGet(`${at}${by(other)}`),
    await release(other),
  ];
  expect(answers.map(({ status, body }) => [status, body.error.code, body.error.param])).toEqual(
    answers.map(() => [404, 'not_found', 'id']),
  );
  expect((await release(shop)).body).toEqual({ ...placed.body, status: 'released' });
});

test('placing requires an idempotency key, releasing honours one, and both are replayed', async () => {
  const without = await shop.bare(path(), {});
  expect([without.status, without.body.error.param]).toEqual([400, 'Idempotency-Key']);
  const place = (body: object) => shop.ledgerPost(path(), body, 'dispute-7');
  const [first, again] = [await place({ amount: 700 }), await place({ amount: 700 })];
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  expect((await place({ amount: 701 })).body.error.code).toBe('idempotency_key_reused');
  expect(await read()).toMatchObject({ amount_on_hold: 700 });
  expect((await shop.bare(`/ledger/v1/holds/${first.body.id}/release`)).status).toBe(200);
  expect((await place({ amount: 700 })).text).toBe(first.text);
  expect(await read()).toMatchObject({ amount_on_hold: 0 });
});

test('PostgreSQL itself refuses a hold that exceeds the captured amount', async () => {
  await shop.propose(payment, 3000);
  const over = 'UPDATE payments SET amount_on_hold = 2001 WHERE id = $1';
  await expect(service.sql.query(over, [uuidOf(payment)])).rejects.toMatchObject({
    constraint: 'payments_held_within_captured',
  });
});
