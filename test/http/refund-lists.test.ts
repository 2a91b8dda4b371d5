/** The lists of refunds, the merchant's and the ledger's, while refunds come and go. */
import { beforeEach, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import type { Reply } from '../support/client.js';

const MERCHANTS = '/v1/refunds';
const LEDGERS = '/ledger/v1/refunds';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = (await shop.record()).body.id;
});

async function proposals(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let number = 1; number <= count; number++) made.push((await shop.propose(payment, number)).body.id);
  return made;
}

const idsIn = ({ data }: Reply['body']): string[] => data.map(({ id }: { id: string }) => id);
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
    const made = (await proposals(7)).reverse();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await shop.get(`${MERCHANTS}?limit=3${query}${cursor}`);
      expect(body).toEqual(list(body.data, seen.length < 6 ? body.data[2].id : null));
      seen.push(...idsIn(body));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
      await shop.succeed(seen[0] as string);
      await proposals(1);
    }
    expect(seen).toEqual(made);
  },
);

test('pages of the ledger show refunds that stay pending exactly once, while others come and go', async () => {
  const ofShop = `${LEDGERS}?organization=${shop.organization}`;
  const made = await proposals(12);
  const seen: string[] = [];
  let cursor = '';
  for (let page = 0; page < 10; page++) {
    const { body } = await shop.ledgerGet(`${ofShop}&limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...idsIn(body));
    if (!body.has_more) break;
    cursor = body.next_cursor;
    // The cursor itself is settled, as is one that is yet to come; a new one appears at the end.
    if (page < 3) await Promise.all([shop.succeed(cursor), shop.fail(made[page + 8] as string)]);
    if (page < 3) await shop.propose(payment, 1);
  }
  const staying = await shop.idsOf(`${ofShop}&limit=100`);
  expect(staying.length).toBeGreaterThanOrEqual(9);
  expect(seen.filter((id) => staying.includes(id))).toEqual(staying);
  expect(new Set(seen).size).toBe(seen.length);
});
