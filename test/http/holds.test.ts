/** Disputes: what is on hold cannot be refunded, until it is released. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = (await shop.record()).body.id;
});

afterEach(() => expectBalanced(service));

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

test('PostgreSQL itself refuses a hold that exceeds the captured amount', async () => {
  await shop.propose(payment, 3000);
  const over = 'UPDATE payments SET amount_on_hold = 2001 WHERE id = $1';
  await expect(service.sql.query(over, [uuidOf(payment)])).rejects.toMatchObject({
    constraint: 'payments_held_within_captured',
  });
});
