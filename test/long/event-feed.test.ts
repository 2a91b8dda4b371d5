/** Readers follow the events while two services write them, rows are locked, and connections are cut. `EVENTS` is how many. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { idOf } from '../../src/shared/id.js';
import { useOther, useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { withClient } from '../support/postgres.js';

const EVENTS = Number(process.env.EVENTS ?? 4_000);
const WRITERS = 8;
const READERS = 20;
/** Shorter than what a request waits for a lock. */
const LONGEST_LOCK_MS = 300;
const CUT_EVERY_MS = 400;

const service = useService();
const other = useOther(service);
const shop = useShop(service);

interface Shown {
  readonly id: string;
  readonly sequence: number;
  readonly data: { readonly object: { readonly id: string } };
}

const random = (below: number) => Math.floor(Math.random() * below);
const either = () => (random(2) ? service : other).url;

/** Undefined when it was refused: connections are cut, and locks are waited for. */
async function ask(
  path: string,
  body?: object,
): Promise<{ id: string; data: Shown[]; next_cursor: string } | undefined> {
  const key = path.startsWith('/ledger') ? shop.ledgerKey : shop.key;
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(`${either()}${path}`, init);
  const answer = (await response.json()) as { id: string; data: Shown[]; next_cursor: string };
  return response.ok ? answer : undefined;
}

test(`${READERS} readers see each of ${EVENTS} events once, in one order that agrees with the sequence of each object`, async () => {
  const payments: string[] = [];
  let isWriting = true;
  const facts = { organization: shop.organization, amount: 1_000_000, currency: 'usd' };
  const write = async () => {
    while (isWriting) {
      const session = await ask('/v1/checkout_sessions', SMALLEST);
      if (session && random(2)) await ask(`/v1/checkout_sessions/${session.id}/expire`, {});
      const recorded = random(4) ? undefined : await ask('/ledger/v1/payments', facts);
      if (recorded) payments.push(recorded.id);
      const payment = payments.at(-1 - random(Math.min(3, payments.length)));
      if (payment === undefined) continue;
      const refund = await ask('/v1/refunds', { payment, amount: 1 });
      const hold = await ask(`/ledger/v1/payments/${payment}/holds`, { amount: 1 });
      if (refund) await ask(`/ledger/v1/refunds/${refund.id}/succeed`, {});
      if (hold) await ask(`/ledger/v1/holds/${hold.id}/release`, {});
    }
  };
  const lock = () =>
    withClient(service.databaseUrl, async (client) => {
      while (isWriting) {
        await client.query('BEGIN');
        await client.query('SELECT FROM payments ORDER BY id DESC LIMIT 2 FOR UPDATE');
        await sleep(random(LONGEST_LOCK_MS));
        await client.query('COMMIT');
        await sleep(random(LONGEST_LOCK_MS));
      }
    });
  const cut = async () => {
    while (isWriting) {
      await service.sql.query(`SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'tillgate' ORDER BY random() LIMIT 1) AS one`);
      await sleep(CUT_EVERY_MS);
    }
  };
  const total = async () => (await service.sql.query('SELECT count(*)::integer AS count FROM events')).rows[0].count;
  let isWritten = false;
  /** Until two pages in a row are empty after the last write. */
  const follow = async (path: string) => {
    const seen: Shown[] = [];
    let cursor = '';
    for (let empty = 0; empty < 2; ) {
      const page = await ask(`${path}?order=asc&limit=${1 + random(100)}${cursor}`);
      seen.push(...(page?.data ?? []));
      empty = isWritten && page?.data.length === 0 ? empty + 1 : 0;
      if (page?.next_cursor) cursor = `&cursor=${page.next_cursor}`;
      await sleep(random(100));
    }
    return seen;
  };
  const readers = Promise.all(
    Array.from({ length: READERS }, (_, at) => follow(at % 2 ? '/v1/events' : '/ledger/v1/events')),
  );
  const writers = Promise.all([...Array.from({ length: WRITERS }, write), lock(), cut()]);
  while ((await total()) < EVENTS) await sleep(100);
  isWriting = false;
  await writers;
  isWritten = true;
  const { rows } = await service.sql.query('SELECT id FROM events ORDER BY position');
  const order = rows.map(({ id }) => idOf({ prefix: 'evt' } as never, id));
  for (const seen of await readers) expect(seen.map(({ id }) => id)).toEqual(order);
  const last = new Map<string, number>();
  for (const { sequence, data } of (await readers)[0] as Shown[]) {
    expect(sequence).toBe((last.get(data.object.id) ?? 0) + 1);
    last.set(data.object.id, sequence);
  }
});
