/**
 * These tests cover the rows that a proposal writes, and lists while refunds come and go.
 * conformance/cases/refunds.json has the answers to single requests.
 */
import { beforeEach, expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import type { Reply } from '../support/client.js';

const service = useService();
const shop = useShop(service);
let payment: string;

beforeEach(async () => {
  payment = await shop.capture();
});

test('writes the refund, its event, its stored response and the reserved amount, and nothing else', async () => {
  const before = await contents();
  const { body } = await shop.propose(payment, 1200);
  expect(Object.keys(body)).toEqual([
    'id',
    'object',
    'amount',
    'currency',
    'status',
    'payment',
    'created',
  ]);
  const after = await contents();
  // The service stores the last use of a key once an hour, without waiting for it.
  const tables = Object.keys(after).filter((table) => table !== 'api_keys');
  const changed = tables.filter((table) => !isSame(after[table], before[table]));
  expect(changed.sort()).toEqual(['events', 'idempotency_keys', 'payments', 'refunds']);
  const added = (table: string) =>
    (after[table] ?? []).filter((row) => !before[table]?.some((old) => isSame(old, row)));
  expect(added('refunds')).toEqual([expect.objectContaining({ amount: 1200, status: 'pending' })]);
  expect(added('idempotency_keys')).toEqual([
    expect.objectContaining({ body: JSON.stringify(body) }),
  ]);
  expect(added('payments')).toEqual([
    expect.objectContaining({ amount: 5000, amount_refunded: 0, amount_pending_refund: 1200 }),
  ]);
});

test('refuses an idempotency key that was used to cancel another refund', async () => {
  const [first, second] = [await shop.propose(payment, 1), await shop.propose(payment, 2)];
  const cancel = ({ body: { id } }: Reply) => shop.post(`/v1/refunds/${id}/cancel`, {}, 'cancel');
  expect((await cancel(first)).body.status).toBe('canceled');
  const refused = await cancel(second);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  expect((await shop.get(`/v1/refunds/${second.body.id}`)).body.status).toBe('pending');
});

type Contents = Readonly<Record<string, readonly unknown[]>>;

/** Returns every row of every table of the schema. */
async function contents(): Promise<Contents> {
  const { rows } = await service.sql.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const found: Record<string, readonly unknown[]> = {};
  for (const { name } of rows)
    found[name] = (await service.sql.query(`SELECT * FROM ${name}`)).rows;
  return found;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function proposals(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let number = 1; number <= count; number++)
    made.push((await shop.propose(payment, number)).body.id);
  return made;
}

const idsIn = ({ data }: Reply['body']): string[] => data.map(({ id }: { id: string }) => id);

test.each(['', 'payment=<payment>', 'status=pending', 'payment=<payment>&status=pending'])(
  'shows a merchant with ?%s each refund once, while others are proposed and settled',
  async (filter) => {
    const query = filter.replace('<payment>', payment);
    const made = (await proposals(7)).reverse();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await shop.get(`/v1/refunds?limit=3&${query}${cursor}`);
      const { data, has_more, next_cursor } = body;
      expect(body).toEqual({
        object: 'list',
        data,
        has_more,
        next_cursor,
        items: data,
        nextCursor: next_cursor,
      });
      seen.push(...idsIn(body));
      if (!has_more) break;
      expect([data.length, next_cursor]).toEqual([3, seen.at(-1)]);
      cursor = `&cursor=${next_cursor}`;
      await shop.succeed(seen[0] as string);
      await proposals(1);
    }
    expect(seen).toEqual(made);
  },
);

test('shows the ledger refunds that stay pending exactly once, while others come and go', async () => {
  const ofShop = `/ledger/v1/refunds?organization=${shop.organization}`;
  const made = await proposals(12);
  const seen: string[] = [];
  for (let cursor = '', page = 0; page < 10; page++) {
    const { body } = await shop.ledgerGet(`${ofShop}&limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...idsIn(body));
    if (!body.has_more) break;
    cursor = body.next_cursor;
    // The refund of the cursor and one on a later page are settled, and a new one appears at the
    // end.
    if (page < 3) await Promise.all([shop.succeed(cursor), shop.fail(made[page + 8] as string)]);
    if (page < 3) await shop.propose(payment, 1);
  }
  const staying = await shop.idsOf(`${ofShop}&limit=100`);
  expect(staying.length).toBeGreaterThanOrEqual(9);
  expect(seen.filter((id) => staying.includes(id))).toEqual(staying);
  expect(new Set(seen).size).toBe(seen.length);
});
