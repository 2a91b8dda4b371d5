/** Refunds that were made elsewhere, and payouts that are reported more than once. Single requests are in conformance/cases/ledger.json. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';
import { ownedRefund } from '../support/shop.js';

const REFUNDS = '/ledger/v1/refunds';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = await shop.capture();
});

afterEach(() => expectBalanced(service));

const amounts = () => shop.amountsOf(payment);
const seen = async (id: string) => (await shop.ledgerGet(`${REFUNDS}/${id}`)).body;

test('is succeeded from the start, everywhere, and can only come back', async () => {
  const { status, headers, body } = await shop.recordRefund(payment, {
    reference: 'return-1',
    description: 'by phone',
  });
  const refund = { id: body.id, object: 'refund', amount: 500, currency: 'usd', status: 'succeeded', payment };
  const details = { reference: 'return-1', description: 'by phone', provider_reference: 'payout_1' };
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
  const events = (await shop.eventsOf(body.id)).map(
    ({ type, sequence, data }: { type: string; sequence: number; data: object }) => [type, sequence, data],
  );
  const data = { object: shown, reason: null, ...details };
  expect(events).toEqual([
    ['refund.created', 1, data],
    ['refund.succeeded', 2, data],
  ]);
  expect((await shop.claim()).body.data).toEqual([]);
  expect((await shop.cancel(body.id)).body.error.code).toBe('refund_not_pending');
  expect((await shop.fail(body.id)).body.error.code).toBe('refund_not_pending');
  expect((await shop.succeed(body.id)).body).toEqual(body);
  expect((await shop.return(body.id, { reason: 'account closed' })).body).toEqual({
    ...body,
    status: 'failed',
    reason: 'account closed',
  });
  expect(await amounts()).toEqual({ captured: 5000, refunded: 0, pending: 0, left: 5000 });
});
