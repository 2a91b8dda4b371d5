/**
 * Many requests run at once, over two instances of the service on one database. The proof for the
 * idempotency key is the same race without its primary key, which must go wrong.
 * test/payments/money-race.test.ts has the proof for what a payment holds.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, isReplay, post, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { expectAnsweredOnce } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const CAPTURED = 10_000;
const IDENTICAL = 200;

const first = useService();
const second = useOther(first);
const shop = useShop(first, {}, beforeAll);

interface Race {
  readonly path: string;
  readonly body: unknown;
  /** All requests have this key; without it, each one has a new key. */
  readonly idempotencyKey?: string;
  readonly by?: Shop;
}

/** Sends every other request to the other instance. */
function race(count: number, { path, body, idempotencyKey, by = shop }: Race): Promise<Reply[]> {
  return atOnce(count, (index) => {
    const { url } = index % 2 === 0 ? first : second;
    return untilDecided(() =>
      post(url + path, { key: by.key, body, ...(idempotencyKey && { idempotencyKey }) }),
    );
  });
}

/** Counts the different objects and answers of the same request. */
async function raceIdentical(
  identical: Race,
): Promise<{ ids: number; bodies: number; firsts: number }> {
  const replies = await race(IDENTICAL, identical);
  expect(countsOf(replies)).toEqual({ 201: IDENTICAL });
  return {
    ids: new Set(replies.map(({ body }) => body.id)).size,
    bodies: new Set(replies.map(({ text }) => text)).size,
    firsts: replies.filter((reply) => !isReplay(reply)).length,
  };
}

function countsOf(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Counts rows. Each race has a metadata value or an amount of its own. */
async function count(statement: string, value: string): Promise<number> {
  const { rows } = await first.sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${statement}`,
    [value],
  );
  return rows[0]?.count ?? 0;
}

const sessionsWith = (race: string) =>
  count(`checkout_sessions WHERE metadata ->> 'race' = $1`, race);
const refundsOf = (amount: number) => count('refunds WHERE amount = $1', String(amount));
const identicalCreate = (name: string): Race => ({
  path: '/v1/checkout_sessions',
  body: { ...SMALLEST, metadata: { race: name } },
  idempotencyKey: name,
});

// This test guards payments_held_within_captured. Every refund adds to the amount in its payment's
// row, and PostgreSQL checks the sum on the row as it is then, not as the request read it.
test('fills a payment of 10,000 exactly with 1,000 refunds of 100', async () => {
  const payment = await shop.capture({ amount: CAPTURED });
  const replies = await race(1_000, { path: '/v1/refunds', body: { payment, amount: 100 } });
  expect(countsOf(replies)).toEqual({ 201: 100, 422: 900 });
  expect(await shop.amountsOf(payment)).toEqual({
    captured: CAPTURED,
    refunded: 0,
    pending: CAPTURED,
    left: 0,
  });
  expect(await refundsOf(100)).toBe(100);
  await expectAnsweredOnce(first);
});

// This test guards idempotency_keys_pkey across instances. Within one instance, the requests wait
// for the first.
test('makes one session and one answer of 200 identical creates', async () => {
  expect(await raceIdentical(identicalCreate('creates'))).toEqual({ ids: 1, bodies: 1, firsts: 1 });
  expect(await sessionsWith('creates')).toBe(1);
});

// This test guards the same primary key. It also guards that one statement takes the key and holds
// the amount, so that a loser's hold is undone.
test('makes one refund and one answer of 200 identical refunds, and holds the amount once', async () => {
  const amount = 333;
  const payment = await shop.capture({ amount: CAPTURED });
  const identical = { path: '/v1/refunds', body: { payment, amount }, idempotencyKey: 'refunds' };
  expect(await raceIdentical(identical)).toEqual({ ids: 1, bodies: 1, firsts: 1 });
  expect(await refundsOf(amount)).toBe(1);
  expect((await shop.amountsOf(payment)).pending).toBe(amount);
  await expectAnsweredOnce(first);
});

// The service sends refunds to PostgreSQL together only if they are of one organization and mode.
test('fills the payments of two organizations and of both modes exactly, each with its own refunds', async () => {
  const twin = await Shop.openTwin(first);
  const shops = [twin.test, twin.live, await Shop.open(first)];
  const payments = await Promise.all(shops.map((each) => each.capture({ amount: 20 })));
  const replies = await Promise.all(
    shops.map((by, at) =>
      race(40, { path: '/v1/refunds', body: { payment: payments[at], amount: 1 }, by }),
    ),
  );
  for (const [at, each] of shops.entries()) {
    expect(countsOf(replies[at] as Reply[])).toEqual({ 201: 20, 422: 20 });
    expect(await each.amountsOf(payments[at] as string)).toEqual({
      captured: 20,
      refunded: 0,
      pending: 20,
      left: 0,
    });
  }
  await expectAnsweredOnce(first);
});

// The next test removes what the races above rely on, so it stays last.
test('makes several sessions of identical creates without idempotency_keys_pkey', async () => {
  await first.sql.query('ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey');
  // This is another organization, because the keys of one that has just repeated a request are
  // looked up first.
  const { ids } = await raceIdentical({ ...identicalCreate('proof'), by: await Shop.open(first) });
  expect(ids).toBeGreaterThan(1);
  expect(await sessionsWith('proof')).toBe(ids);
});
