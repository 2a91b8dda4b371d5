/**
 * These payouts were made elsewhere, beside proposals of the same money.
 * conformance/cases/refunds-elsewhere.json shows a single payout, and that it may be told again.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { expectBalanced } from '../support/reconciled.js';

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
const propose = async (facts: object = {}) =>
  (await shop.post('/v1/refunds', { payment, amount: 500, ...facts })).body;
const seen = async (id: string) => (await shop.ledgerGet(`${REFUNDS}/${id}`)).body;
const typesOf = async (id: string) => (await shop.eventsOf(id)).map(({ type }) => type);

describe('the payout of a proposed refund', () => {
  test('is known by its references after it succeeded', async () => {
    const { id } = await propose({ reference: 'return-1' });
    const { body } = await shop.succeed(id, PAID);
    expect(await shop.recordRefund(payment, { reference: 'return-1' })).toMatchObject({
      status: 200,
      body,
    });
    expect(await shop.idsOf(`${REFUNDS}?status=all&payment=${payment}`)).toEqual([id]);
    expect(await amounts()).toMatchObject({ refunded: 500, pending: 0 });
  });

  test.each([
    ['has the same provider reference', { claim: 1, ...PAID }, {}],
    ['has the same reference', { claim: 1 }, { reference: 'return-1' }],
  ])('makes a claimed refund succeed that %s', async (_, claim, facts) => {
    const { id } = await propose({ reference: 'return-1' });
    await shop.claim();
    await shop.ledgerPost(`${REFUNDS}/${id}/extend`, claim);
    const { status, body } = await shop.recordRefund(payment, facts);
    expect([status, body]).toEqual([200, await seen(id)]);
    expect(body).toMatchObject({ id, status: 'succeeded', claim: null, ...PAID });
    expect(await typesOf(id)).toEqual(['refund.created', 'refund.succeeded']);
    expect(await amounts()).toMatchObject({ refunded: 500, pending: 0 });
    expect((await shop.fail(id, { claim: 1 })).body.error.code).toBe('refund_not_pending');
    expect((await shop.succeed(id, PAID)).body).toEqual(body);
  });

  const givenUp = async (id: string) => {
    await shop.claim();
    for (const [action, body] of Object.entries({ extend: PAID, release: {} }))
      await shop.ledgerPost(`${REFUNDS}/${id}/${action}`, { claim: 1, ...body });
    return shop.cancel(id);
  };

  test.each([
    ['canceled', (id: string) => shop.cancel(id)],
    ['refused', (id: string) => shop.fail(id)],
    ['sent to the provider, given up and canceled', givenUp],
  ])('is another payout if the refund was %s, and its reference is refused', async (_, end) => {
    const { id } = await propose({ reference: 'return-1' });
    expect((await end(id)).status).toBe(200);
    const { error } = (await shop.recordRefund(payment, { reference: 'return-1' })).body;
    expect(error).toMatchObject({ code: 'refund_reference_reused', param: 'reference' });
    expect((await shop.recordRefund(payment)).status).toBe(201);
    expect((await amounts()).refunded).toBe(500);
  });

  test('is found by its facts when several refunds were paid together', async () => {
    const [one, two] = [await propose(), await propose({ amount: 700 })];
    for (const { id } of [one, two]) await shop.succeed(id, PAID);
    expect((await shop.recordRefund(payment, { amount: 700 })).body.id).toBe(two.id);
    expect((await shop.recordRefund(payment, { amount: 800 })).body.error.code).toBe(
      'refund_reference_reused',
    );
    expect((await amounts()).refunded).toBe(1200);
  });

  test('is counted for both of two proposals of one amount that were paid together', async () => {
    const [one, two] = [await propose(), await propose()];
    for (const { id } of [one, two]) await shop.succeed(id, PAID);
    for (const { id } of [one, two]) expect((await seen(id)).status).toBe('succeeded');
    expect(await amounts()).toMatchObject({ refunded: 1000, pending: 0 });
  });

  test('replaces the refund that was recorded first, which ends with an event of its own', async () => {
    const { id } = await propose();
    const recorded = (await shop.recordRefund(payment)).body;
    const { body } = await shop.succeed(id, PAID);
    expect(await typesOf(recorded.id)).toEqual([
      'refund.created',
      'refund.succeeded',
      'refund.failed',
    ]);
    expect((await shop.succeed(id, PAID)).body).toEqual(body);
    expect(await amounts()).toMatchObject({ refunded: 500, pending: 0 });
  });

  test.each([
    ['another amount', { amount: 600 }, PAID],
    ['another provider reference', {}, { provider_reference: 'payout_2' }],
    ['no provider reference', {}, {}],
  ])('is another payout if it has %s, and both are counted', async (_, facts, paid) => {
    const { id, amount } = await propose(facts);
    const { body } = await shop.recordRefund(payment);
    expect((await shop.succeed(id, paid)).body.status).toBe('succeeded');
    expect(await seen(body.id)).toEqual(body);
    expect((await amounts()).refunded).toBe(500 + amount);
  });
});
