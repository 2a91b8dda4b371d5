/**
 * Processes are killed in the middle of their work, again and again, while careful clients retry under their keys, which are the
 * same in both modes.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { MODES, type Mode } from '../../src/shared/caller.js';
import { useService } from '../kit/setup.js';
import { atOnce, get, isReplay, post, type Reply, SMALLEST, untilDecided } from '../support/client.js';
import { serve } from '../support/processes.js';
import { expectAnsweredOnce } from '../support/reconciled.js';
import { useProcesses, useTwin } from '../support/setup.js';

const CLIENTS = 5;
const KILLS = 4;
/** Long enough for a process that was just started to be in the thick of it when it is killed. */
const LIFE_MS = [200, 600] as const;

interface Write {
  readonly mode: Mode;
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
const twin = useTwin(service, beforeAll);
let payments: Readonly<Record<Mode, readonly string[]>>;

beforeAll(async () => {
  const [test, live] = await Promise.all(MODES.map((mode) => atOnce(2, () => twin[mode].capture({ amount: 300 }))));
  payments = { test: test as string[], live: live as string[] };
});

/** Whichever process: its answer, or none when it is dead. */
const send = (write: Write): Promise<Reply> =>
  post(`${processes[randomInt(processes.length)]?.url}${write.path}`, { key: twin[write.mode].key, ...write });

/** The same in both modes. */
function newWrites(): Write[] {
  const idempotencyKey = randomUUID();
  const [isSession, amount, which] = [randomInt(2) === 0, randomInt(1, 50), randomInt(2)];
  const session = { ...SMALLEST, metadata: { key: idempotencyKey } };
  return MODES.map((mode) => {
    if (isSession) return { mode, path: '/v1/checkout_sessions', body: session, idempotencyKey };
    return { mode, path: '/v1/refunds', body: { payment: payments[mode][which], amount }, idempotencyKey };
  });
}

/** Writes until `stop`, each twice at once; both must get the same answer. */
async function client(stop: AbortSignal): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const twice = async (write: Write) => {
    const [reply, again] = await Promise.all([untilDecided(() => send(write)), untilDecided(() => send(write))]);
    expect([again.status, again.text]).toEqual([reply.status, reply.text]);
    acknowledged.push({ write, reply });
  };
  while (!stop.aborted) await Promise.all(newWrites().map(twice));
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
    const found = await get(service.url + reply.headers.get('location'), { key: twin[write.mode].key });
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

/** All of them, as many at a time as there are clients. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  await atOnce(CLIENTS, async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  });
}
