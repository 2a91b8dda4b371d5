/** Payments that do not match their session are recorded, read, listed and refunded like others. */
import { afterEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';

const service = useService();
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const RECORD = { on_mismatch: 'record' };
const session = async () => (await shop.createSession()).body.id as string;
const read = async (id: string) => (await shop.get(`/v1/checkout_sessions/${id}`)).body;
const eventsOf = async (id: string) => (await shop.get(`/v1/events?object=${id}&order=asc`)).body.data;

async function expired(): Promise<string> {
  const id = await session();
  await shop.expire(id);
  return id;
}

async function elapsed(): Promise<string> {
  const id = await session();
  await service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(id)]);
  return id;
}

async function complete(): Promise<string> {
  const id = await session();
  await shop.record({ amount: 1000, checkout_session: id });
  return id;
}

const CASES: [string, () => Promise<string>, { amount?: number; currency?: string }, string, string][] = [
  ['late', expired, {}, 'session_expired', 'session_not_open'],
  ['late by the clock alone', elapsed, {}, 'session_expired', 'session_not_open'],
  ['late, of another amount', expired, { amount: 1, currency: 'eur' }, 'session_expired', 'session_not_open'],
  ['double', complete, {}, 'session_complete', 'session_not_open'],
  ['of another amount', session, { amount: 999 }, 'amount', 'payment_session_mismatch'],
  ['of another amount and currency', session, { amount: 999, currency: 'eur' }, 'amount', 'payment_session_mismatch'],
  ['of another currency', session, { currency: 'eur' }, 'currency', 'payment_session_mismatch'],
];

test.each(CASES)('a payment that is %s', async (_, prepare, facts, mismatch, code) => {
  const id = await prepare();
  const before = await read(id);
  const capture = { amount: 1000, checkout_session: id, ...facts };

  for (const refuse of [{}, { on_mismatch: 'refuse' }]) {
    const refused = await shop.record({ ...capture, ...refuse });
    expect([refused.status, refused.body.error.code]).toEqual([422, code]);
  }

  const recorded = await shop.record({ ...capture, ...RECORD });
  expect(recorded.status).toBe(201);
  const { organization: _organization, reference: _reference, ...payment } = recorded.body;
  expect(payment).toMatchObject({ checkout_session: id, mismatch, amount_refundable: capture.amount });
  expect(await read(id)).toEqual(before);
  expect((await shop.get(`/v1/payments/${payment.id}`)).body).toEqual(payment);
  expect((await shop.get(`/v1/payments?checkout_session=${id}`)).body.data[0]).toEqual(payment);
  expect(await eventsOf(payment.id)).toEqual([
    expect.objectContaining({ type: 'payment.unmatched', sequence: 1, data: { object: payment, reason: null } }),
  ]);
  expect((await shop.propose(payment.id, capture.amount)).status).toBe(201);
});

test('the first exact payment matches; any number of others are recorded as unmatched', async () => {
  const id = await session();
  const facts = { amount: 1000, checkout_session: id, ...RECORD };
  const answers = await Promise.all(Array.from({ length: 8 }, () => shop.record(facts)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
  const others = answers.map(({ body }) => body.mismatch).filter((mismatch) => mismatch !== null);
  expect(others).toEqual(Array(7).fill('session_complete'));
  const matching = answers.find(({ body }) => body.mismatch === null)?.body;
  const [created] = await eventsOf(matching.id);
  expect(created).toMatchObject({ type: 'payment.created', sequence: 1, data: { object: { id: matching.id } } });
  expect((await eventsOf(id)).map(({ type }: { type: string }) => type)).toEqual([
    'checkout.session.created',
    'checkout.session.completed',
  ]);
});

test('the same reference with the same amount, currency and session is the same payment, whatever on_mismatch is', async () => {
  const capture = { amount: 1000, checkout_session: await expired(), reference: 'late-1' };
  const recorded = await shop.record({ ...capture, ...RECORD });
  const again = await shop.record(capture);
  expect([again.status, again.body]).toEqual([200, recorded.body]);
  const others = await shop.record({ ...capture, ...RECORD, amount: 999 });
  expect([others.status, others.body.error.code]).toEqual([422, 'payment_reference_reused']);
});

test('a payment that is recorded twice at once under one reference is recorded once', async () => {
  const id = await session();
  const capture = { amount: 1000, checkout_session: id, reference: 'twice', ...RECORD };
  const answers = await Promise.all(Array.from({ length: 6 }, () => shop.record(capture)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers[0]?.body.mismatch).toBeNull();
});

test('PostgreSQL itself refuses a second matching payment of a session', async () => {
  const id = await complete();
  const copy = `INSERT INTO payments (organization_id, mode, id, currency, amount, checkout_session_id, mismatch)
    SELECT organization_id, mode, gen_random_uuid(), currency, amount, checkout_session_id, $2::text FROM payments
    WHERE checkout_session_id = $1`;
  await expect(service.sql.query(copy, [uuidOf(id), null])).rejects.toMatchObject({
    constraint: 'payments_checkout_session_key',
  });
  await service.sql.query(copy, [uuidOf(id), 'session_complete']);
});
