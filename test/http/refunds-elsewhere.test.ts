/** Refunds that were made elsewhere, and payouts that are told more than once. Single requests are in conformance/cases/refunds-elsewhere.json. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RefundsMadeElsewhere1763700000036 } from '../../migrations/index.js';
import { createMigrationDataSource } from '../../src/persistence/data-source.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';
import { ownedRefund, Shop } from '../support/shop.js';

const REFUNDS = '/ledger/v1/refunds';
const PAID = { provider_reference: 'payout_1' };

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = await shop.capture();
});

afterEach(() => expectBalanced(service));

const amounts = () => shop.amountsOf(payment);
const propose = async (facts: object = {}) => (await shop.post('/v1/refunds', { payment, amount: 500, ...facts })).body;
const seen = async (id: string) => (await shop.ledgerGet(`${REFUNDS}/${id}`)).body;
const idsOfAll = () => shop.idsOf(`${REFUNDS}?status=all&payment=${payment}`);
const typesOf = async (id: string) => (await shop.eventsOf(id)).map(({ type }: { type: string }) => type);

test('is succeeded from the start, everywhere, and can only come back', async () => {
  const { status, headers, body } = await shop.recordRefund(payment, {
    reference: 'return-1',
    description: 'by phone',
  });
  const refund = { id: body.id, object: 'refund', amount: 500, currency: 'usd', status: 'succeeded', payment };
  const details = { reference: 'return-1', description: 'by phone', ...PAID };
  const shown = { ...refund, created: expect.any(Number) };
  expect([status, headers.get('location')]).toEqual([201, `${REFUNDS}/${body.id}`]);
  expect(body).toEqual({ ...ownedRefund(shop.organization, shown), ...details });
  expect(Object.keys(body)).toEqual([
    ...['id', 'object', 'organization', 'amount', 'currency', 'status', 'payment', 'created'],
    ...['claim', 'reference', 'description', 'provider_reference', 'reason'],
  ]);
  expect(await amounts()).toEqual({ captured: 5000, refunded: 500, pending: 0, left: 4500 });
  expect(await seen(body.id)).toEqual(body);
  expect((await shop.get(`/v1/refunds/${body.id}`)).body).toEqual(shown);
  expect((await shop.get('/v1/refunds?reference=return-1')).body.data).toEqual([shown]);
  const data = { object: shown, reason: null, ...details };
  const events = await shop.eventsOf(body.id);
  expect(events).toMatchObject([
    { type: 'refund.created', sequence: 1 },
    { type: 'refund.succeeded', sequence: 2 },
  ]);
  for (const event of events) expect(event.data).toEqual(data);
  expect((await shop.claim()).body.data).toEqual([]);
  expect((await shop.cancel(body.id)).body.error.code).toBe('refund_not_pending');
  expect((await shop.fail(body.id)).body.error.code).toBe('refund_not_pending');
  expect((await shop.succeed(body.id, { provider_reference: 'payout_2' })).body).toEqual(body);
  const returned = { ...body, status: 'failed', reason: 'account closed' };
  expect((await shop.return(body.id, { reason: 'account closed' })).body).toEqual(returned);
  expect(await amounts()).toEqual({ captured: 5000, refunded: 0, pending: 0, left: 5000 });
  // A webhook that comes late does not refund the money again.
  expect(await shop.recordRefund(payment, { reference: 'return-1' })).toMatchObject({ status: 200, body: returned });
});

test.each([{}, { reference: 'return-1' }])('told again with %j, it is the same refund', async (facts) => {
  const { body } = await shop.recordRefund(payment, { reference: 'return-1' });
  expect(await shop.recordRefund(payment, facts)).toMatchObject({ status: 200, body });
  expect(await idsOfAll()).toEqual([body.id]);
  expect(await typesOf(body.id)).toEqual(['refund.created', 'refund.succeeded']);
  expect((await amounts()).refunded).toBe(500);
});

test.each([
  ['provider_reference', { amount: 499 }],
  ['provider_reference', { reference: 'return-2' }],
  ['reference', { provider_reference: 'payout_2' }],
])('told again with another fact, it is refused on %s and leads to the refund', async (param, facts) => {
  const { body } = await shop.recordRefund(payment, { reference: 'return-1' });
  const { status, body: refused } = await shop.recordRefund(payment, { reference: 'return-1', ...facts });
  expect(status).toBe(422);
  expect(refused.error).toMatchObject({
    code: 'refund_reference_reused',
    param,
    next_step: { type: 'read_resource', path: `${REFUNDS}/${body.id}`, method: 'GET' },
  });
  expect((await amounts()).refunded).toBe(500);
});

test('references are of one organization in one mode, and of one payment', async () => {
  const shops = [shop, await shop.in('live', service), await Shop.open(service, shop)];
  const payments = [payment, ...(await Promise.all(shops.slice(1).map((each) => each.capture())))];
  for (const [at, each] of shops.entries()) {
    const facts = { reference: 'return-1' };
    expect((await each.recordRefund(payments[at] as string, facts)).status).toBe(201);
    for (const foreign of payments.filter((_, other) => other !== at)) {
      const { status, body } = await each.recordRefund(foreign, { provider_reference: 'payout_2' });
      expect([status, body.error.code, body.error.param]).toEqual([404, 'not_found', 'payment']);
    }
    expect((await each.amountsOf(payments[at] as string)).refunded).toBe(500);
  }
  const other = await shop.capture();
  expect((await shop.recordRefund(other)).body.error).toMatchObject({ param: 'provider_reference' });
});

describe('the payout of a proposed refund', () => {
  test.each([{}, { reference: 'return-1' }])('that succeeded is known, told with %j', async (facts) => {
    const { id } = await propose({ reference: 'return-1' });
    const { body } = await shop.succeed(id, PAID);
    expect(await shop.recordRefund(payment, facts)).toMatchObject({ status: 200, body });
    expect(await idsOfAll()).toEqual([id]);
    expect(await amounts()).toMatchObject({ refunded: 500, pending: 0 });
  });

  test.each([
    ['the provider has', 'extend', { claim: 1, ...PAID }, {}],
    ['has the same reference', 'extend', { claim: 1 }, { reference: 'return-1' }],
  ])('that %s and that is claimed succeeds', async (_, action, claim, facts) => {
    const { id } = await propose({ reference: 'return-1' });
    await shop.claim();
    await shop.ledgerPost(`${REFUNDS}/${id}/${action}`, claim);
    const { status, body } = await shop.recordRefund(payment, facts);
    expect([status, body]).toEqual([200, await seen(id)]);
    expect(body).toMatchObject({ id, status: 'succeeded', claim: null, ...PAID });
    expect(await typesOf(id)).toEqual(['refund.created', 'refund.succeeded']);
    expect(await amounts()).toMatchObject({ refunded: 500, pending: 0 });
    expect((await shop.fail(id, { claim: 1 })).body.error.code).toBe('refund_not_pending');
    expect((await shop.succeed(id, PAID)).body).toEqual(body);
  });

  test('that came back stays failed', async () => {
    const { id } = await propose();
    await shop.succeed(id, PAID);
    const { body } = await shop.return(id);
    expect(await shop.recordRefund(payment)).toMatchObject({ status: 200, body });
    expect((await amounts()).refunded).toBe(0);
  });

  const givenUp = async (id: string) => {
    await shop.claim();
    for (const [action, body] of [
      ['extend', PAID],
      ['release', {}],
    ] as const)
      await shop.ledgerPost(`${REFUNDS}/${id}/${action}`, { claim: 1, ...body });
    return shop.cancel(id);
  };

  test.each([
    ['canceled', (id: string) => shop.cancel(id)],
    ['refused', (id: string) => shop.fail(id)],
    ['sent to the provider, given up and canceled', givenUp],
  ])('is not that of a refund which was %s: its reference is refused', async (_, end) => {
    const { id } = await propose({ reference: 'return-1' });
    expect((await end(id)).status).toBe(200);
    const { error } = (await shop.recordRefund(payment, { reference: 'return-1' })).body;
    expect(error).toMatchObject({ code: 'refund_reference_reused', param: 'reference' });
    expect((await shop.recordRefund(payment)).status).toBe(201);
    expect((await amounts()).refunded).toBe(500);
  });

  test('is found by its facts where several refunds were paid at once', async () => {
    const [one, two] = [await propose(), await propose({ amount: 700 })];
    for (const { id } of [one, two]) await shop.succeed(id, PAID);
    expect((await shop.recordRefund(payment, { amount: 700 })).body.id).toBe(two.id);
    expect((await shop.recordRefund(payment, { amount: 800 })).body.error.code).toBe('refund_reference_reused');
    expect((await amounts()).refunded).toBe(1200);
  });

  test('can only be recorded when the proposal leaves enough, and is known once that has succeeded', async () => {
    const { id } = await propose({ amount: 4800 });
    const { error } = (await shop.recordRefund(payment, { amount: 4800 })).body;
    expect(error).toMatchObject({ code: 'refund_exceeds_remaining', param: 'amount', errors: [{ allowed: ['200'] }] });
    const { body } = await shop.succeed(id, PAID);
    expect(await shop.recordRefund(payment, { amount: 4800 })).toMatchObject({ status: 200, body });
  });

  test('was recorded before the proposal succeeds: it is counted once, as that of the proposal', async () => {
    const { id } = await propose();
    const recorded = (await shop.recordRefund(payment)).body;
    expect(await amounts()).toEqual({ captured: 5000, refunded: 500, pending: 500, left: 4000 });
    const { status, body } = await shop.succeed(id, PAID);
    expect([status, body.status]).toEqual([200, 'succeeded']);
    expect(await amounts()).toEqual({ captured: 5000, refunded: 500, pending: 0, left: 4500 });
    expect(await seen(recorded.id)).toEqual({ ...recorded, status: 'failed', reason: `It is the payout of ${id}.` });
    expect(await typesOf(recorded.id)).toEqual(['refund.created', 'refund.succeeded', 'refund.failed']);
    expect(await shop.recordRefund(payment)).toMatchObject({ status: 200, body });
    expect((await shop.succeed(id, PAID)).body).toEqual(body);
    expect(await amounts()).toMatchObject({ refunded: 500, pending: 0 });
  });

  test.each([
    ['of another amount', { amount: 600 }, PAID],
    ['of another provider reference', {}, { provider_reference: 'payout_2' }],
    ['of none', {}, {}],
  ])('is another one if it is %s: both are counted', async (_, facts, paid) => {
    const { id, amount } = await propose(facts);
    const { body } = await shop.recordRefund(payment);
    expect((await shop.succeed(id, paid)).body.status).toBe('succeeded');
    expect(await seen(body.id)).toEqual(body);
    expect((await amounts()).refunded).toBe(500 + amount);
  });
});

test('refunds that have a provider reference in common, as before the migration, stand neither in its way nor in that of their payouts', async () => {
  const ids = [(await propose()).id, (await propose()).id];
  for (const id of ids) await shop.succeed(id, PAID);
  const step = new RefundsMadeElsewhere1763700000036();
  const dataSource = await createMigrationDataSource(service.databaseUrl).initialize();
  const runner = dataSource.createQueryRunner();
  await step.down(runner);
  await step.up(runner);
  await dataSource.destroy();
  expect((await shop.recordRefund(payment)).body.id).toBe(ids[0]);
});
