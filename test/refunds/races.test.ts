/**
 * Many requests at once, over two instances of the service on one database. The proof that the key of a request decides is the
 * same race without it, which must go wrong; test/payments/money-race.test.ts has that of what a payment holds.
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
  /** The same for all, or a new one for each. */
  readonly idempotencyKey?: string;
  readonly by?: Shop;
}

/** Every other request goes to the other instance. */
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

/** Counts rows. Each race has a metadata or an amount of its own. */
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

// Guards payments_held_within_captured: every refund adds to what its payment's row holds, and PostgreSQL checks the sum
// on the row as it is then, not as the request had read it.
test('1,000 refunds of 100 fill a payment of 10,000 exactly', async () => {
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

// Guards idempotency_keys_pkey across instances; within one, the requests wait for the first.
test('200 identical creates make one session and one answer', async () => {
  expect(await raceIdentical(identicalCreate('creates'))).toEqual({ ids: 1, bodies: 1, firsts: 1 });
  expect(await sessionsWith('creates')).toBe(1);
});

// Guards the same key and that the amount is held in the statement that takes it: a loser's hold is undone with it.
test('200 identical refunds make one refund and one answer, and hold its amount once', async () => {
  const amount = 333;
  const payment = await shop.capture({ amount: CAPTURED });
  const identical = { path: '/v1/refunds', body: { payment, amount }, idempotencyKey: 'refunds' };
  expect(await raceIdentical(identical)).toEqual({ ids: 1, bodies: 1, firsts: 1 });
  expect(await refundsOf(amount)).toBe(1);
  expect((await shop.amountsOf(payment)).pending).toBe(amount);
  await expectAnsweredOnce(first);
});

// Refunds go to PostgreSQL together only with those of the same organization and mode, whose payments they hold.
test('refunds of two organizations and of both modes at once fill each its own payment exactly', async () => {
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

// From here on the database is without what the races above rely on: keep these last.
test('proof: without idempotency_keys_pkey identical creates make several sessions', async () => {
  await first.sql.query('ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey');
  // Another organization: those of one that has just repeated a request are looked up first.
  const { ids } = await raceIdentical({ ...identicalCreate('proof'), by: await Shop.open(first) });
  expect(ids).toBeGreaterThan(1);
  expect(await sessionsWith('proof')).toBe(ids);
});
