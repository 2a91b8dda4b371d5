/** The rows that a proposal writes. conformance/cases/refunds.json has the answers to single requests. */
import { expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { Shop } from '../support/shop.js';

const service = useService();

test('writes the refund, its event, its stored response and the reserved amount, and nothing else', async () => {
  const shop = await Shop.open(service);
  const payment = (await shop.record()).body.id;
  const before = await contents();
  const { body } = await shop.propose(payment, 1200);
  expect(Object.keys(body)).toEqual(['id', 'object', 'amount', 'currency', 'status', 'payment', 'created']);
  const after = await contents();
  // That the key was used is stored without waiting, once an hour.
  const tables = Object.keys(after).filter((table) => table !== 'api_keys');
  const changed = tables.filter((table) => !isSame(after[table], before[table]));
  expect(changed.sort()).toEqual(['events', 'idempotency_keys', 'payments', 'refunds']);
  const added = (table: string) =>
    (after[table] ?? []).filter((row) => !before[table]?.some((old) => isSame(old, row)));
  expect(added('refunds')).toEqual([expect.objectContaining({ amount: 1200, status: 'pending' })]);
  expect(added('idempotency_keys')).toEqual([expect.objectContaining({ body: JSON.stringify(body) })]);
  expect(added('payments')).toEqual([
    expect.objectContaining({ amount: 5000, amount_refunded: 0, amount_pending_refund: 1200 }),
  ]);
});

type Contents = Readonly<Record<string, readonly unknown[]>>;

/** Every row of every table of the schema, whatever tables there are. */
async function contents(): Promise<Contents> {
  const { rows } = await service.sql.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const found: Record<string, readonly unknown[]> = {};
  for (const { name } of rows) found[name] = (await service.sql.query(`SELECT * FROM ${name}`)).rows;
  return found;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
