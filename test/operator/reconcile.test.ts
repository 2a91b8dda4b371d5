/** Reconciliation finds every planted difference, and nothing else. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { reconcile } from '../../src/operator/cli/reconcile.js';
import { Reconciliation } from '../../src/operator/telemetry/reconciliation.js';
import { instantOf, uuidOf } from '../../src/shared/id.js';
import { type Service, startService } from '../kit/service.js';
import { type Books, keepBooks } from '../support/books.js';
import { scrape } from '../support/metrics.js';
import { commandLine } from '../support/processes.js';
import { Shop } from '../support/shop.js';

const HELD = 'held = sum of pending and succeeded refunds';
const REFUNDED = 'refunded = sum of succeeded refunds';
const WITHIN = 'held <= captured';
const PAID = 'a session is paid if and only if a matching payment exists for it';
const EXACT = 'a session was paid exactly what it asks for';
const ON_HOLD = 'on hold = sum of active holds';
const PROMISES = [HELD, REFUNDED, WITHIN, PAID, EXACT, ON_HOLD];

type Name = Exclude<keyof Books, 'shop'>;

let service: Service;
let books: Books;

beforeEach(async () => {
  service = await startService();
  books = await keepBooks(await Shop.open(service));
});

afterEach(() => service.close());

function checks(broken: Readonly<Record<string, readonly string[]>> = {}) {
  return PROMISES.map((promise) => ({
    promise,
    checked: 3,
    offenders: broken[promise] ?? [],
  }));
}

const reconciled = () => reconcile(service.application);

/** Runs SQL in which $name stands for the ID of one of the books. */
async function plant(sql: string): Promise<void> {
  await service.sql.query(
    sql.replaceAll(/\$(\w+)/g, (_, name: Name) => `'${uuidOf(books[name])}'`),
  );
}

test('the books balance after every kind of change', async () => {
  expect(await reconciled()).toEqual({ checks: checks(), isBalanced: true });
});

const payment = (set: string, id = '$payment') => `UPDATE payments SET ${set} WHERE id IN (${id})`;
const session = (set: string, id: string) => `UPDATE checkout_sessions SET ${set} WHERE id = ${id}`;
const ofPayment = (status: string) => `WHERE payment_id = $payment AND status = '${status}'`;
const without = (table: string, constraint: string) =>
  `ALTER TABLE ${table} DROP CONSTRAINT ${constraint};`;

const HOLD_ONE = 'amount_pending_refund = amount_pending_refund + 1';
const ACCOUNT_500 =
  'amount_pending_refund = amount_pending_refund - 500, amount_refunded = amount_refunded + 500';

const PLANTED: [string, string, Record<string, Name[]>][] = [
  ['an amount is held for no refund', payment(HOLD_ONE), { [HELD]: ['payment'] }],
  [
    'an amount is held where there never was a refund',
    payment('amount_pending_refund = 1', '$untouched, $sessionPayment'),
    { [HELD]: ['untouched', 'sessionPayment'] },
  ],
  ['a pending refund is accounted as succeeded', payment(ACCOUNT_500), { [REFUNDED]: ['payment'] }],
  [
    'an amount is on hold for no hold',
    payment('amount_on_hold = 1', '$untouched'),
    { [ON_HOLD]: ['untouched'] },
  ],
  [
    'a hold vanished',
    `DELETE FROM payment_holds ${ofPayment('active')}`,
    { [ON_HOLD]: ['payment'] },
  ],
  [
    'a released hold is active again',
    `UPDATE payment_holds SET status = 'active' ${ofPayment('released')}`,
    { [ON_HOLD]: ['payment'] },
  ],
  [
    'a refund vanished',
    `DELETE FROM refunds ${ofPayment('succeeded')}`,
    { [HELD]: ['payment'], [REFUNDED]: ['payment'] },
  ],
  [
    'a failed refund is pending again',
    `UPDATE refunds SET status = 'pending' ${ofPayment('failed')}`,
    { [HELD]: ['payment'] },
  ],
  [
    'more is held than was captured',
    without('payments', 'payments_held_within_captured') + payment('amount = 2199'),
    { [WITHIN]: ['payment'] },
  ],
  [
    'a session is paid by no payment',
    session(`status = 'complete', payment_status = 'paid'`, '$openSession'),
    { [PAID]: ['openSession'] },
  ],
  [
    'the payment that fits its session has a mismatch',
    payment(`mismatch = 'amount'`, '$sessionPayment'),
    { [PAID]: ['paidSession'] },
  ],
  [
    'a payment left its session open',
    session(`status = 'open', payment_status = 'unpaid', closed_at = NULL`, '$paidSession'),
    { [PAID]: ['paidSession'] },
  ],
  [
    'a session was paid too much',
    payment('amount = 1001', '$sessionPayment'),
    { [EXACT]: ['paidSession'] },
  ],
  [
    'a session was paid in another currency',
    payment(`currency = 'eur'`, '$sessionPayment'),
    { [EXACT]: ['paidSession'] },
  ],
];

test.each(PLANTED)('reconciliation finds that %s', async (_, sql, broken) => {
  await plant(sql);
  const offenders = Object.entries(broken).map(([promise, names]) => [
    promise,
    names.map((name) => books[name]),
  ]);
  expect(await reconciled()).toEqual({
    checks: checks(Object.fromEntries(offenders)),
    isBalanced: false,
  });
  await service.application.get(Reconciliation).look();
  const values = await scrape(service);
  const counts = PROMISES.map((promise) => [
    promise,
    values[`tillgate_broken_promises{promise="${promise}"}`],
  ]);
  expect(counts).toEqual(PROMISES.map((promise) => [promise, broken[promise]?.length ?? 0]));
});

test('reconciliation can be limited to resources that were created since an instant', async () => {
  await plant('UPDATE payments SET amount_refunded = amount_refunded + 1 WHERE id = $payment');
  const since = (instant: number) => reconcile(service.application, { since: instant });
  expect(await since(instantOf(books.payment))).toMatchObject({ isBalanced: false });
  const later = await since(instantOf(books.succeeded) + 60_000);
  expect(later).toEqual({
    checks: PROMISES.map((promise) => ({ promise, checked: 0, offenders: [] })),
    isBalanced: true,
  });
});

const runCommand = () => commandLine(['reconcile'], { DATABASE_URL: service.databaseUrl });

test('the command prints what it checked, and fails on a difference', async () => {
  const balanced = await runCommand();
  expect({ ...balanced, stdout: JSON.parse(balanced.stdout) }).toEqual({
    status: 0,
    stdout: { balanced: true, checks: checks() },
    stderr: '',
  });
  await plant('UPDATE payments SET amount_refunded = amount_refunded + 1 WHERE id = $payment');
  const broken = await runCommand();
  const offenders = checks({ [HELD]: [books.payment], [REFUNDED]: [books.payment] });
  expect({ ...broken, stdout: JSON.parse(broken.stdout) }).toEqual({
    status: 1,
    stdout: { balanced: false, checks: offenders },
    stderr: '',
  });
});
