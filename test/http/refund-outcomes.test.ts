import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectBalanced } from '../support/reconciled.js';
import { type ExpectedError, fixRequest, listResources, readResource, refusal } from '../support/refused-answer.js';
import { type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

const PATH = '/v1/refunds';
const CAPTURED = 5000;

let service: Service;
let shop: Shop;
let payment: string;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await Shop.open(service);
  payment = (await shop.record({ amount: CAPTURED })).body.id;
});

afterAll(async () => {
  await expectBalanced(service);
  await service.close();
});

const proposed = async (amount = 1000) => (await shop.propose(payment, amount)).body;
const amounts = (refunded: number, pending: number) => ({
  captured: CAPTURED,
  refunded,
  pending,
  left: CAPTURED - refunded - pending,
});

describe('cancel', () => {
  test.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('withdraws a pending refund, with %s and no idempotency key', async (_, body) => {
    const refund = await proposed();
    const canceled = await shop.bare(`${PATH}/${refund.id}/cancel`, body);
    expect([canceled.status, canceled.body]).toEqual([200, { ...refund, status: 'canceled' }]);
    expect((await shop.get(`${PATH}/${refund.id}`)).body).toEqual(canceled.body);
  });

  test('is refused in every other state', async () => {
    const [succeeded, failed, canceled] = [await proposed(), await proposed(), await proposed()];
    await Promise.all([shop.succeed(succeeded.id), shop.fail(failed.id), shop.cancel(canceled.id)]);
    for (const { id } of [succeeded, failed, canceled]) {
      const before = await shop.get(`${PATH}/${id}`);
      const refused = await shop.cancel(id);
      expect(refused.status).toBe(422);
      const errors = [{ param: 'id', code: 'invalid_value' }];
      expect(refused.body).toEqual(refusal('refund_not_pending', readResource(`${PATH}/${id}`), errors));
      expect((await shop.get(`${PATH}/${id}`)).body).toEqual(before.body);
    }
    expect(await shop.amountsOf(payment)).toEqual(amounts(1000, 0));
  });

  test('knows only refunds of the organization and the key’s mode', async () => {
    const neighbour = await Shop.open(service);
    const foreign = (await neighbour.propose((await neighbour.record()).body.id, 1)).body.id;
    for (const id of [foreign, unknownId('re_test'), unknownId('re_live')]) {
      const refused = await shop.cancel(id);
      const errors = [{ param: 'id', code: 'invalid_value' }];
      expect([refused.status, refused.body]).toEqual([404, refusal('not_found', listResources(PATH), errors)]);
    }
    expect((await neighbour.get(`${PATH}/${foreign}`)).body.status).toBe('pending');
  });

  test('honours an idempotency key, even when the ledger would now refuse', async () => {
    const { id } = await proposed();
    const key = randomUUID();
    const first = await shop.post(`${PATH}/${id}/cancel`, undefined, key);
    const again = await shop.post(`${PATH}/${id}/cancel`, undefined, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('the amounts of a payment', () => {
  test('follow every transition', async () => {
    expect(await shop.amountsOf(payment)).toEqual(amounts(0, 0));
    const [one, two, three] = [await proposed(1000), await proposed(1500), await proposed(2500)];
    expect(await shop.amountsOf(payment)).toEqual(amounts(0, 5000));
    await shop.succeed(one.id);
    expect(await shop.amountsOf(payment)).toEqual(amounts(1000, 4000));
    await shop.fail(two.id);
    expect(await shop.amountsOf(payment)).toEqual(amounts(1000, 2500));
    await shop.cancel(three.id);
    expect(await shop.amountsOf(payment)).toEqual(amounts(1000, 0));
  });

  test.each(['fail', 'cancel'] as const)('%s gives the capacity back', async (release) => {
    const { id } = await proposed(CAPTURED);
    expect((await shop.propose(payment, 1)).body.error.code).toBe('payment_not_refundable');
    await shop[release](id);
    expect((await shop.propose(payment, CAPTURED)).status).toBe(201);
    expect(await shop.amountsOf(payment)).toEqual(amounts(0, CAPTURED));
  });

  test('succeed does not', async () => {
    await shop.succeed((await proposed(4000)).id);
    const refused = await shop.propose(payment, 1001);
    const next = { type: 'lower_amount', path: PATH, method: 'POST' };
    const errors = [{ param: 'amount', code: 'too_large', allowed: ['1000'] }];
    expect([refused.status, refused.body]).toEqual([422, refusal('refund_exceeds_remaining', next, errors)]);
  });
});

describe('the list', () => {
  const listed = async (query: string) => (await shop.get(`${PATH}?${query}`)).body.data;

  test('filters by payment and status, newest first', async () => {
    const other = (await shop.record()).body.id;
    const [one, two] = [await proposed(), await proposed()];
    const three = (await shop.propose(other, 1)).body;
    const paid = { ...one, status: 'succeeded' };
    await shop.succeed(one.id);
    expect(await listed('')).toEqual([three, two, paid]);
    expect(await listed(`payment=${payment}`)).toEqual([two, paid]);
    expect(await listed('status=pending')).toEqual([three, two]);
    expect(await listed(`payment=${payment}&status=succeeded`)).toEqual([paid]);
    expect(await listed(`payment=${other}&status=failed`)).toEqual([]);
    expect(await listed(`payment=${unknownId('pay_test')}`)).toEqual([]);
    expect(await listed(`payment=${unknownId('pay_live')}`)).toEqual([]);
  });

  test('filters by creation, from inclusive and to exclusive, with the others', async () => {
    const refund = await proposed();
    const { created } = refund;
    const date = new Date(created * 1000).toISOString();
    expect(await listed(`from=${created}&to=${created + 1}`)).toEqual([refund]);
    expect(await listed(`from=${date}&payment=${payment}&status=pending`)).toEqual([refund]);
    expect(await listed(`to=${created}`)).toEqual([]);
    expect(await listed(`from=${created + 1}&payment=${payment}`)).toEqual([]);
    expect(await listed(`from=${created + 1}&status=pending`)).toEqual([]);
    expect(await listed(`to=${created}&payment=${payment}&status=pending`)).toEqual([]);
  });

  test('shows its own organization and mode only', async () => {
    const neighbour = await Shop.open(service);
    await neighbour.propose((await neighbour.record()).body.id, 1);
    expect(await listed('')).toEqual([]);
  });

  test.each(['', 'payment=<payment>', 'status=pending', 'payment=<payment>&status=pending'])(
    'pages ?%s, each refund once, while others are proposed and settled',
    async (filter) => {
      const query = filter && `&${filter.replace('<payment>', payment)}`;
      const made: string[] = [];
      for (let number = 0; number < 7; number++) made.unshift((await proposed(100)).id);
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body } = await shop.get(`${PATH}?limit=3${query}${cursor}`);
        expect(body).toEqual({
          object: 'list',
          data: expect.any(Array),
          has_more: seen.length < 6,
          next_cursor: seen.length < 6 ? body.data[2].id : null,
          items: body.data,
          nextCursor: body.next_cursor,
        });
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.has_more ? `&cursor=${body.next_cursor}` : '';
        await shop.succeed(seen[0] as string);
        await proposed(1);
      } while (cursor);
      expect(seen).toEqual(made);
    },
  );

  test.each<[string, ExpectedError]>([
    [
      'status=open',
      { param: 'status', code: 'invalid_value', allowed: ['pending', 'succeeded', 'failed', 'canceled'] },
    ],
    ['payment=pay_1', { param: 'payment', code: 'invalid_format' }],
    ['from=yesterday', { param: 'from', code: 'invalid_format' }],
    ['from=2&to=1', { param: 'from', code: 'too_large' }],
    ['limit=0', { param: 'limit', code: 'too_small' }],
    ['limit=101', { param: 'limit', code: 'too_large' }],
    ['organization=1', { param: 'organization', code: 'unknown_field' }],
    ['status=failed&status=failed', { param: 'status', code: 'duplicate' }],
  ])('refuses ?%s', async (query, error) => {
    const refused = await shop.get(`${PATH}?${query}`);
    expect([refused.status, refused.body]).toEqual([400, refusal('invalid_param', fixRequest('GET', PATH), [error])]);
  });

  test('a cursor of something else starts the list again', async () => {
    const refused = await shop.get(`${PATH}?status=failed&cursor=${payment}`);
    const next = { type: 'restart_list', path: `${PATH}?status=failed`, method: 'GET' };
    expect(refused.body).toEqual(refusal('invalid_param', next, [{ param: 'cursor', code: 'invalid_format' }]));
  });
});
