/**
 * Connections are cut and rows are locked under load: some requests get a 503, and no answer is
 * wrong.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { useService, useShop } from '../kit/setup.js';
import {
  atOnce,
  get,
  isReplay,
  post,
  type Reply,
  SMALLEST,
  untilDecided,
} from '../support/client.js';
import { expectError } from '../support/envelope.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { expectAnsweredOnce } from '../support/reconciled.js';
import { Shop } from '../support/shop.js';

const CLIENTS = 20;
const CUTS = 8;
/** Between two cuts the pool connects again and gets work. */
const PAUSE_MS = 150;
/** This is the lock_timeout of the service. */
const LOCK_TIMEOUT_MS = 500;

const service = useService();
const shop = useShop(service, {}, beforeAll);

const create = (idempotencyKey: string = randomUUID(), key = shop.key): Promise<Reply> =>
  post(`${service.url}/v1/checkout_sessions`, { key, body: SMALLEST, idempotencyKey });
const propose = (payment: string, idempotencyKey: string = randomUUID()): Promise<Reply> =>
  post(`${service.url}/v1/refunds`, {
    key: shop.key,
    body: { payment, amount: 1 },
    idempotencyKey,
  });

function expectUnavailable(reply: Reply, path: string, method = 'POST'): void {
  expectError(reply, {
    status: 503,
    code: 'service_unavailable',
    nextStep: { type: 'retry', path, method },
  });
  expect(reply.headers.get('retry-after')).toBe('1');
}

/** Ends every connection of the service, as a fail-over does. */
async function cutConnections(): Promise<void> {
  await service.sql.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'tillgate'`,
  );
}

/** Sends a request until it gets a final answer, and keeps every answer. */
async function noteUntilDecided(replies: Reply[], attempt: () => Promise<Reply>): Promise<void> {
  await untilDecided(async () => {
    const reply = await attempt();
    // A 409 says that the first transaction of the request has not ended yet.
    if (reply.status !== 409) replies.push(reply);
    return reply;
  });
}

test('requests whose connection is cut are answered 503, and then everything works again', async () => {
  const payment = await shop.capture({ amount: 1_000_000 });
  const replies = { create: [] as Reply[], propose: [] as Reply[], read: [] as Reply[] };
  const stop = new AbortController();
  const clients = atOnce(CLIENTS, async () => {
    while (!stop.signal.aborted) {
      const key = randomUUID();
      await noteUntilDecided(replies.create, () => create(key));
      await noteUntilDecided(replies.propose, () => propose(payment, key));
      await noteUntilDecided(replies.read, () =>
        get(`${service.url}/v1/payments/${payment}`, { key: shop.key }),
      );
    }
  });
  const statuses = (of: readonly Reply[]) => new Set(of.map(({ status }) => status));
  for (
    let cut = 0;
    cut < CUTS || [replies.create, replies.propose].some((of) => statuses(of).size < 2);
    cut++
  ) {
    await sleep(PAUSE_MS);
    await cutConnections();
  }
  stop.abort();
  await clients;

  expect([statuses(replies.create), statuses(replies.propose)]).toEqual([
    new Set([201, 503]),
    new Set([201, 503]),
  ]);
  expect([...statuses(replies.read)].filter((status) => ![200, 503].includes(status))).toEqual([]);
  const unavailable = (of: readonly Reply[]) => of.filter(({ status }) => status === 503);
  for (const reply of unavailable(replies.create))
    expectUnavailable(reply, '/v1/checkout_sessions');
  for (const reply of unavailable(replies.propose)) expectUnavailable(reply, '/v1/refunds');
  for (const reply of unavailable(replies.read))
    expectUnavailable(reply, `/v1/payments/${payment}`, 'GET');

  const afterwards = await atOnce(CLIENTS, () => untilDecided(() => create()));
  expect(afterwards.map(({ status }) => status)).toEqual(afterwards.map(() => 201));
  await expectAnsweredOnce(service);
});

test('a locked payment delays its own refunds, which are answered 503, and no other refunds', async () => {
  const locked = await shop.capture({ amount: 666 });
  const free = await shop.capture({ amount: 1_000 });
  const outsider = await Holder.connect(service.databaseUrl);
  try {
    await outsider.hold('SELECT 1 FROM payments WHERE amount = 666 FOR UPDATE');
    const started = Date.now();
    const waiting = propose(locked, 'waiting').then((reply) => ({
      reply,
      waited: Date.now() - started,
    }));
    for (let refund = 0; refund < 20; refund++) expect((await propose(free)).status).toBe(201);

    const { reply, waited } = await waiting;
    expectUnavailable(reply, '/v1/refunds');
    expect(waited).toBeGreaterThan(LOCK_TIMEOUT_MS * 0.9);
    // A read takes no lock.
    const read = await get(`${service.url}/v1/payments/${locked}`, { key: shop.key });
    expect([read.status, read.body.amount_pending_refund]).toEqual([200, 0]);
  } finally {
    await outsider.end();
  }
  const again = await propose(locked, 'waiting');
  expect([again.status, isReplay(again)]).toEqual([201, false]);
  await expectAnsweredOnce(service);
});

test('transactions that wait for a lock of one organization leave connections for other organizations', async () => {
  const neighbour = await Shop.open(service);
  const locked = await shop.capture({ amount: 667 });
  const free = await neighbour.capture({ amount: 100 });
  const refunds = await atOnce(56, async () => (await propose(locked)).body.id as string);
  const { body } = await neighbour.propose(free, 1);
  const outsider = await Holder.connect(service.databaseUrl);
  let answered = 0;
  try {
    await outsider.hold('SELECT 1 FROM payments WHERE amount = 667 FOR UPDATE');
    const waiting = refunds.map((refund) => shop.cancel(refund).finally(() => answered++));
    await until(async () => (await waitingForLocks(service.sql)) >= 4);
    // If all organizations waited in one queue, this request would be the last to be answered.
    expect((await neighbour.cancel(body.id)).status).toBe(200);
    expect(answered).toBeLessThan(refunds.length);
    await outsider.release();
    await Promise.all(waiting);
  } finally {
    await outsider.end();
  }
});

test('a request behind two thousand waiting queries is refused at once, not after its time limit', async () => {
  const database = service.application.get(Database);
  const waiting: Promise<unknown>[] = [];
  let ended = 0;
  const nap = { name: 'sleep', text: 'SELECT pg_sleep(3)' };
  const shortNap = { name: 'nap', text: 'SELECT pg_sleep(0.25)' };
  // The loop runs twice, because free connections take their share of the first queries.
  for (let time = 0; time < 2; time++) {
    // Reads wait in one place together, and each of them counts.
    for (let query = 0; query < 2_100; query++) {
      const owner = { queue: `${time} ${query}` };
      const sent =
        query % 4 === 0 ? database.autocommit(owner, nap, []) : database.read(owner, shortNap, []);
      waiting.push(sent.finally(() => ended++));
    }
    void Promise.allSettled(waiting);
    await sleep(PAUSE_MS);
  }
  // The key of the second request is not known yet: its look-up is a query too.
  const refused = await Promise.all([create(), create(randomUUID(), shop.tenant.live)]);
  for (const reply of refused) expectUnavailable(reply, '/v1/checkout_sessions');
  // This request would wait longer than the queries that came before it.
  expect(ended).toBeLessThan(waiting.length);
  await Promise.allSettled(waiting);
  expect((await create()).status).toBe(201);
});

test('a refusal of a constraint costs no connection', async () => {
  const idempotencyKey = randomUUID();
  await create(idempotencyKey);
  await atOnce(CLIENTS, () => create());
  const before = await connections();
  const replays = await atOnce(CLIENTS, () => create(idempotencyKey));
  expect(replays.map(isReplay)).toEqual(replays.map(() => true));
  expect(await connections()).toEqual(before);

  async function connections(): Promise<unknown[]> {
    const { rows } = await service.sql.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tillgate' ORDER BY 1`,
    );
    return rows;
  }
});
