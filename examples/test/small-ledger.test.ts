/**
 * The small ledger in examples/ keeps a book. Its constraints refuse wrong rows, and no two clients
 * run a step of one refund at once.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Client } from 'pg';
import type { LedgerRefund } from '../../client/src/ledger/index.js';
import { atOnce } from '../../test/support/client.js';
import { createDatabase, serverUrl, urlOf, withClient } from '../../test/support/postgres.js';
import { Book, type Payout } from '../ledger/book.js';

const PAID: Payout = { status: 'paid', provider_reference: 'p_1', reason: null };
const REFUSED: Payout = { status: 'refused', provider_reference: null, reason: 'declined' };
const POSTPONED: Payout = { status: 'postponed', provider_reference: null, reason: 'no_balance' };

let database: Awaited<ReturnType<typeof createDatabase>>;
let book: Book;
let payment: string;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
  book = await Book.open(database.url);
});

beforeEach(async () => {
  payment = `pay_${randomUUID()}`;
  await book.capture({ id: payment, currency: 'usd', amount: 100 });
});

afterAll(async () => {
  expect(await rows('SELECT * FROM imbalances')).toEqual([]);
  expect(await rows('SELECT sum(balance)::integer FROM accounts')).toEqual([{ sum: 0 }]);
  await book.close();
  await database.drop();
});

const rows = (sql: string) =>
  withClient(database.url, async (client: Client) => (await client.query(sql)).rows);
const idOf = (name: string) => `${name} of ${payment}`;
const refund = (name: string, amount: number, number = 1) =>
  ({
    id: idOf(name),
    amount,
    currency: 'usd',
    payment,
    claim: { number, expires_at: 0 },
  }) as LedgerRefund;
const settle = (name: string, payout: Payout, claim = 1) =>
  book.change(idOf(name), claim, async () => payout);

async function balances(): Promise<{ captured: number; inFlight: number }> {
  const balance = (account: string) =>
    `(SELECT balance::integer FROM accounts WHERE name = '${account} ${payment}')`;
  return (
    await rows(`SELECT ${balance('captured')} AS captured, ${balance('in flight')} AS "inFlight"`)
  )[0];
}

test.each([
  ['paid', PAID, { captured: 40, inFlight: 0 }],
  ['refused', REFUSED, { captured: 100, inFlight: 0 }],
  ['postponed', POSTPONED, { captured: 100, inFlight: 0 }],
])(
  'moves the money of a refund that is %s once, however often it is begun and settled',
  async (_, payout, settled) => {
    await atOnce(3, () => book.begin(refund('re', 60)));
    expect(await balances()).toEqual({ captured: 40, inFlight: 60 });
    await atOnce(3, () => settle('re', payout));
    expect(await balances()).toEqual(settled);
  },
);

test('takes a payout from elsewhere once, also from money in flight, and never more than is left', async () => {
  const paid = (name: string, amount: number) => ({
    ...refund(name, amount),
    provider_reference: 'p_1',
  });
  await atOnce(3, () => book.record(paid('re_1', 60)));
  expect(await balances()).toEqual({ captured: 40, inFlight: 0 });
  expect(await book.record(paid('re_2', 41))).toBe('accounts_covered');
  await book.begin(refund('re_3', 40));
  await atOnce(3, () => book.record(paid('re_3', 40)));
  expect(await balances()).toEqual({ captured: 0, inFlight: 0 });
  expect(await settle('re_3', PAID, 2)).toMatchObject({
    status: 'paid',
    provider_reference: 'p_1',
  });
  expect(await book.record({ ...paid('re_4', 1), payment: 'other' })).toBe('refunds_payment');
});

test('does not begin one of two refunds that race for more than is left', async () => {
  const begun = await Promise.all([book.begin(refund('re_1', 60)), book.begin(refund('re_2', 60))]);
  expect(begun.sort()).toEqual(['accounts_covered', undefined]);
  expect(await balances()).toEqual({ captured: 40, inFlight: 60 });
  expect(await book.begin({ ...refund('re_3', 1), payment: 'other' })).toBe('refunds_payment');
});

test('lets refunds begin and end at the same time without blocking each other', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `re_${index}`);
  for (const id of ids.slice(0, 20)) await book.begin(refund(id, 1));
  const ending = ids.slice(0, 20).map((id) => settle(id, REFUSED));
  const beginning = ids.slice(20).map((id) => book.begin(refund(id, 1)));
  await Promise.all([...ending, ...beginning]);
  expect(await balances()).toEqual({ captured: 80, inFlight: 20 });
});

test('lets one client decide at a time, and shows the others its decision', async () => {
  await book.begin(refund('re', 60));
  const seen: string[] = [];
  await atOnce(4, () =>
    book.change(idOf('re'), 1, async ({ status }) => {
      seen.push(status);
      return status === 'in_flight' ? PAID : undefined;
    }),
  );
  expect(seen).toEqual(['in_flight', 'paid', 'paid', 'paid']);
  await expect(settle('re', REFUSED).then(() => settle('re', PAID))).rejects.toThrow(
    'cannot become',
  );
});

test('does not begin a postponed refund again for a worker that was overtaken', async () => {
  await book.begin(refund('re', 60, 1));
  await settle('re', POSTPONED, 2);
  await book.begin(refund('re', 60, 1));
  expect(await balances()).toEqual({ captured: 100, inFlight: 0 });
  await book.begin(refund('re', 60, 2));
  expect(await balances()).toEqual({ captured: 40, inFlight: 60 });
});

test.each([
  ['UPDATE transfers SET amount = 1', 'what is in the book stays'],
  ['DELETE FROM transfers', 'what is in the book stays'],
  ['UPDATE payments SET amount = 1', 'what is in the book stays'],
  ['UPDATE refunds SET amount = 1', 'what is in the book stays'],
  ['DELETE FROM refunds', 'what is in the book stays'],
  [
    `INSERT INTO refunds SELECT 're', id, 'eur', 1, 'in_flight', 1 FROM payments LIMIT 1`,
    'refunds_payment',
  ],
  [
    `INSERT INTO refunds SELECT 're', id, 'usd', 0, 'in_flight', 1 FROM payments LIMIT 1`,
    'transfers_amount',
  ],
  [
    `INSERT INTO refunds SELECT 're', id, 'usd', 1, 'paid', 1 FROM payments LIMIT 1`,
    'refunds_paid',
  ],
  [
    `INSERT INTO refunds SELECT 're', id, 'usd', 1, 'lost', 1 FROM payments LIMIT 1`,
    'refunds_status',
  ],
])('refuses %s', async (sql, why) => {
  await expect(rows(sql)).rejects.toThrow(why);
});

test('makes one book for two programs that start at once', async () => {
  const name = `book_${process.pid}`;
  const books = await atOnce(2, () => Book.open(urlOf(name)));
  await Promise.all(books.map((one) => one.close()));
  await withClient(serverUrl(), (client) => client.query(`DROP DATABASE ${name}`));
});
