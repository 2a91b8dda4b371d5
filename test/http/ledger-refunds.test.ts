import { describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { expectBalanced } from '../support/reconciled.js';
import { useService, useShop } from '../support/setup.js';
import { ownedRefund, Shop } from '../support/shop.js';

const PATH = '/ledger/v1/refunds';

const service = useService();
const shop = useShop(service);

// biome-ignore lint/suspicious/noExplicitAny: a body as it came.
async function proposals(count: number, at: Shop = shop): Promise<any[]> {
  const payment = (await at.record()).body.id;
  const made = [];
  for (let number = 1; number <= count; number++) made.push((await at.propose(payment, number)).body);
  return made;
}

const ofShop = (query = '') => shop.ledgerGet(`${PATH}?organization=${shop.organization}${query}`);

function list(data: readonly unknown[], next: string | null = null) {
  return { object: 'list', data, has_more: next !== null, next_cursor: next, items: data, nextCursor: next };
}

describe('the list of proposals', () => {
  test('shows pending refunds of all organizations, oldest first, with their organization', async () => {
    // The only test in this mode: nobody else's proposals are in the way.
    const [one, two] = [await Shop.open(service, { mode: 'live' }), await Shop.open(service, { mode: 'live' })];
    const [first, settled] = await proposals(2, one);
    const [second] = await proposals(1, two);
    const [third] = await proposals(1, one);
    await one.succeed(settled.id);
    const listed = await one.ledgerGet(PATH);
    const expected = [
      ownedRefund(one.organization, first),
      ownedRefund(two.organization, second),
      ownedRefund(one.organization, third),
    ];
    expect([listed.status, listed.body]).toEqual([200, list(expected)]);
    expect(Object.keys(listed.body.data[0])).toEqual(Object.keys(expected[0] as object));
  });

  test('has 25 items on a page by default', async () => {
    const made = (await proposals(26)).map((refund) => ownedRefund(shop.organization, refund));
    expect((await ofShop()).body).toEqual(list(made.slice(0, 25), made[24]?.id));
    expect((await ofShop('&limit=26')).body).toEqual(list(made));
  });

  test('pages show refunds that stay pending exactly once, while others come and go', async () => {
    const made = await proposals(12);
    const [payment, seen]: [string, string[]] = [made[0].payment, []];
    let cursor = '';
    for (let page = 0; page < 10; page++) {
      const { body } = await ofShop(`&limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
      cursor = body.next_cursor;
      // The cursor itself is settled, as is one that is yet to come; a new one appears at the end.
      if (page < 3) await Promise.all([shop.succeed(cursor), shop.fail(made[page + 8].id)]);
      if (page < 3) await shop.propose(payment, 1);
    }
    const { body } = await ofShop('&limit=100');
    const staying = body.data.map(({ id }: { id: string }) => id);
    expect(staying.length).toBeGreaterThanOrEqual(9);
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('the reason of a failure', () => {
  const reasonOf = async (id: string) => {
    const { rows } = await service.sql.query('SELECT failure_reason FROM refunds WHERE id = $1', [uuidOf(id)]);
    return rows[0].failure_reason;
  };

  test.each([
    ['of 500 characters', 'ü'.repeat(500)],
    ['of none', null],
  ])('%s is stored, and not replaced later', async (_, reason) => {
    const [{ id }] = await proposals(1);
    expect((await shop.fail(id, { reason })).status).toBe(200);
    expect((await shop.fail(id, { reason: 'another' })).status).toBe(200);
    expect(await reasonOf(id)).toBe(reason);
    await expectBalanced(service);
  });
});
