/** The lists of refunds, the merchant's and the ledger's, while refunds come and go. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { ownedRefund, Shop } from '../support/shop.js';

const MERCHANTS = '/v1/refunds';
const LEDGERS = '/ledger/v1/refunds';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = (await shop.record()).body.id;
});

interface Listed {
  readonly id: string;
}

async function proposals(count: number, at: Shop = shop, of = payment): Promise<Listed[]> {
  const made: Listed[] = [];
  for (let number = 1; number <= count; number++) made.push((await at.propose(of, number)).body);
  return made;
}

const list = (data: readonly unknown[], next: string | null = null) => ({
  object: 'list',
  data,
  has_more: next !== null,
  next_cursor: next,
  items: data,
  nextCursor: next,
});

test.each(['', 'payment=<payment>', 'status=pending', 'payment=<payment>&status=pending'])(
  'a merchant pages ?%s, each refund once, while others are proposed and settled',
  async (filter) => {
    const query = filter && `&${filter.replace('<payment>', payment)}`;
    const made = (await proposals(7)).map(({ id }) => id).reverse();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await shop.get(`${MERCHANTS}?limit=3${query}${cursor}`);
      expect(body).toEqual(list(body.data, seen.length < 6 ? body.data[2].id : null));
      seen.push(...body.data.map(({ id }: Listed) => id));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
      await shop.succeed(seen[0] as string);
      await proposals(1);
    }
    expect(seen).toEqual(made);
  },
);

describe('the list of the ledger', () => {
  test('has pending refunds of all organizations, oldest first, with their organization', async () => {
    // The only test in this mode: nobody else's proposals are in the way.
    const [one, two] = [await Shop.open(service, { mode: 'live' }), await Shop.open(service, { mode: 'live' })];
    const [ofOne, ofTwo] = await Promise.all([one, two].map(async (at) => (await at.record()).body.id));
    const [first, settled] = (await proposals(2, one, ofOne)) as [Listed, Listed];
    const [second] = await proposals(1, two, ofTwo);
    const [third] = await proposals(1, one, ofOne);
    await one.succeed(settled.id);
    const listed = await one.ledgerGet(LEDGERS);
    const expected = [
      [one, first],
      [two, second],
      [one, third],
    ].map(([at, refund]) => ownedRefund((at as Shop).organization, refund as Listed & { object: string }));
    expect([listed.status, listed.body]).toEqual([200, list(expected)]);
    expect(Object.keys(listed.body.data[0])).toEqual(Object.keys(expected[0] as object));
  });

  test('pages show refunds that stay pending exactly once, while others come and go', async () => {
    const ofShop = `${LEDGERS}?organization=${shop.organization}`;
    const made = await proposals(12);
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 10; page++) {
      const { body } = await shop.ledgerGet(`${ofShop}&limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: Listed) => id));
      if (!body.has_more) break;
      cursor = body.next_cursor;
      // The cursor itself is settled, as is one that is yet to come; a new one appears at the end.
      if (page < 3) await Promise.all([shop.succeed(cursor), shop.fail(made[page + 8]?.id as string)]);
      if (page < 3) await shop.propose(payment, 1);
    }
    const staying = await shop.idsOf(`${ofShop}&limit=100`);
    expect(staying.length).toBeGreaterThanOrEqual(9);
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying);
    expect(new Set(seen).size).toBe(seen.length);
  });
});
