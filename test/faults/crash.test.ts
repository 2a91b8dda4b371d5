/** Processes are killed in the middle of their work, again and again, while careful clients retry under their keys. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { atOnce, get, isReplay, post, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { type Server, serve } from '../support/processes.js';
import { expectAnsweredOnce } from '../support/reconciled.js';
import { useProcesses, useService, useShop } from '../support/setup.js';

const CLIENTS = 10;
const KILLS = 4;
/** Long enough for a process that was just started to be in the thick of it when it is killed. */
const LIFE_MS = [200, 600] as const;

interface Write {
  readonly path: string;
  readonly body: object;
  readonly idempotencyKey: string;
}

/** A write and the final answer it got. */
interface Acknowledged {
  readonly write: Write;
  readonly reply: Reply;
}

const service = useService();
const processes = useProcesses(service);
const shop = useShop(service, {}, beforeAll);
let payments: readonly string[];

beforeAll(async () => {
  payments = await atOnce(4, () => shop.capture({ amount: 300 }));
});

/** Whichever process: its answer, or none when it is dead. */
const send = (write: Write): Promise<Reply> =>
  post(`${processes[randomInt(processes.length)]?.url}${write.path}`, { key: shop.key, ...write });

function newWrite(): Write {
  const idempotencyKey = randomUUID();
  if (randomInt(2) === 0) {
    const body = { ...SMALLEST, metadata: { key: idempotencyKey } };
    return { path: '/v1/checkout_sessions', body, idempotencyKey };
  }
  const body = { payment: payments[randomInt(payments.length)], amount: randomInt(1, 50) };
  return { path: '/v1/refunds', body, idempotencyKey };
}

/** Writes until `stop`, each twice at once; both must get the same answer. */
async function client(stop: AbortSignal): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  while (!stop.aborted) {
    const write = newWrite();
    const [reply, twin] = await Promise.all([untilDecided(() => send(write)), untilDecided(() => send(write))]);
    expect([twin.status, twin.text]).toEqual([reply.status, reply.text]);
    acknowledged.push({ write, reply });
  }
  return acknowledged;
}

async function killAgainAndAgain(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(randomInt(...LIFE_MS));
    const victim = kill % processes.length;
    await processes[victim]?.stop('SIGKILL');
    processes[victim] = await serve(service.databaseUrl);
  }
}

test('nothing acknowledged is lost, nothing is done twice, and no payment is refunded beyond what was captured', async () => {
  const stop = new AbortController();
  const clients = atOnce(CLIENTS, () => client(stop.signal));
  await killAgainAndAgain().finally(() => stop.abort());
  const all = (await clients).flat();
  const created = all.filter(({ reply }) => reply.status === 201);
  expect(created.length).toBeGreaterThan(CLIENTS);
  expect(new Set(all.map(({ reply }) => reply.status))).toEqual(new Set([201, 422]));

  await inTurns(created, async ({ write, reply }) => {
    const found = await get(service.url + reply.headers.get('location'), { key: shop.key });
    expect([found.status, found.text]).toEqual([200, reply.text]);
    expect(found.body).toMatchObject(
      write.path === '/v1/refunds' ? write.body : { metadata: { key: write.idempotencyKey } },
    );
  });
  await inTurns(all, async ({ write, reply }) => {
    const again = await send(write);
    expect([again.status, again.text, isReplay(again)]).toEqual([reply.status, reply.text, true]);
  });

  const ids = created.map(({ reply }) => reply.body.id);
  expect(new Set(ids).size).toBe(ids.length);
  const { rows } = await service.sql.query(
    `SELECT (SELECT count(*) FROM checkout_sessions)::int + (SELECT count(*) FROM refunds)::int AS count`,
  );
  expect(rows).toEqual([{ count: ids.length }]);
  await expectAnsweredOnce(service);
});

test('a process that gets SIGTERM answers what it has begun and exits with 0', async () => {
  const [leaving] = processes.splice(0, 1) as [Server];
  const create = () => post(`${leaving.url}/v1/checkout_sessions`, { key: shop.key, body: SMALLEST });
  // Connections that stay open.
  await atOnce(CLIENTS, create);
  const replies = atOnce(CLIENTS, () => create().catch(() => undefined));
  await sleep(5);
  expect(await leaving.stop()).toMatchObject({ status: 0, stderr: '' });
  // One that was only on its way is not answered at all, and may be sent again elsewhere.
  const answered = (await replies).flatMap((reply) => reply?.status ?? []);
  expect(answered.filter((status) => status !== 201)).toEqual([]);
  await expectAnsweredOnce(service);
});

/** All of them, as many at a time as there are clients. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  await atOnce(CLIENTS, async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  });
}
