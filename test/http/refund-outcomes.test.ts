import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';
import { Shop, unknownId } from '../support/shop.js';

const PATH = '/v1/refunds';
const CAPTURED = 5000;

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = (await shop.record({ amount: CAPTURED })).body.id;
});

afterEach(() => expectBalanced(service));

const proposed = async (amount = 1000) => (await shop.propose(payment, amount)).body;

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
});
