/**
 * Workers of the ledger and processes of the service are killed at every step while refunds are paid out, leases run out under
 * those that work, and merchants cancel what they can: each refund is paid out once or not at all, and its books say which.
 */
import { createServer, type Server as HttpServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { atOnce } from '../support/client.js';
import { run, type Started, serve, until } from '../support/processes.js';
import { expectBalanced } from '../support/reconciled.js';
import { useProcesses, useService } from '../support/setup.js';
import { Shop } from '../support/shop.js';
import { listen } from '../support/sockets.js';

const STEPS = ['claiming', 'claimed', 'paying', 'paid', 'reporting', 'reported'];
const REFUNDS = 40;
const AMOUNT = 10;
const KILLS = 4;
const LEASE_MS = 250;

const service = useService();
const processes = useProcesses(service);
let shop: Shop;
let payment: string;
let provider: Provider;
let workers: Started[];

beforeEach(async () => {
  provider = await Provider.start();
  workers = [];
  shop = await Shop.open(service);
  payment = (await shop.record({ amount: REFUNDS * AMOUNT })).body.id;
});

afterEach(async () => {
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ ended }) => ended));
  provider.server.closeAllConnections();
  provider.server.close();
});

type Outcome = 'paid' | 'declined';

/**
 * Pays or declines each refund once, and repeats its first answer. Sometimes it cannot be reached. A number below one that
 * it has seen is that of a worker who was overtaken.
 */
class Provider {
  readonly outcomes = new Map<string, Outcome>();
  private readonly numbers = new Map<string, number>();

  url = '';

  private constructor(readonly server: HttpServer) {}

  static async start(): Promise<Provider> {
    const provider = new Provider(createServer());
    provider.server.on('request', async (request, response) => {
      const { id, number } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const outcome = provider.ask(id, number);
      await sleep(Math.random() * 10);
      response.end(JSON.stringify({ outcome }));
    });
    provider.url = `http://127.0.0.1:${await listen(provider.server)}`;
    return provider;
  }

  private ask(id: string, number: number): Outcome | 'unreachable' | 'stale' {
    if (number < (this.numbers.get(id) ?? 0)) return 'stale';
    this.numbers.set(id, number);
    const known = this.outcomes.get(id);
    if (known === undefined && Math.random() < 0.3) return 'unreachable';
    const outcome = known ?? (this.outcomes.size % 5 === 4 ? 'declined' : 'paid');
    this.outcomes.set(id, outcome);
    return outcome;
  }
}

function startWorker(signal = '', step = ''): Started {
  const URLS = processes.map(({ url }) => url).join(' ');
  const environment = { URLS, LEDGER_KEY: shop.ledgerKey, ORGANIZATION: shop.organization, PROVIDER: provider.url };
  const worker = run(['test/support/payout-worker.js', signal, step], environment);
  workers.push(worker);
  return worker;
}

/** Every lease is over, as if its time had passed: also that of who works on. */
const lapse = () =>
  service.sql.query(`UPDATE refunds SET claim_expires_at = now(), claimable_at = now() WHERE claim_expires_at > now()`);

interface Refund {
  readonly id: string;
  readonly status: string;
}

const refunds = async (): Promise<Refund[]> => (await shop.get(`/v1/refunds?payment=${payment}&limit=100`)).body.data;
const propose = (count: number) => atOnce(count, async () => (await shop.propose(payment, AMOUNT)).body.id as string);

/** Until every refund is decided, while leases end long before their time. */
async function untilDone(): Promise<void> {
  while ((await refunds()).some(({ status }) => status === 'pending')) {
    await lapse();
    await sleep(LEASE_MS);
  }
}

/** The provider's outcome of each refund must be in its books. */
async function expectPaidOnce(): Promise<Refund[]> {
  const all = await refunds();
  const booked = all.map(({ id, status }) => [id, status]);
  const moved = all.map(({ id }) => {
    const outcome = provider.outcomes.get(id);
    return [id, outcome === 'paid' ? 'succeeded' : outcome === 'declined' ? 'failed' : 'canceled'];
  });
  expect(booked).toEqual(moved);
  const paid = [...provider.outcomes.values()].filter((outcome) => outcome === 'paid').length;
  expect(await shop.amountsOf(payment)).toMatchObject({ refunded: paid * AMOUNT, pending: 0 });
  await expectBalanced(service);
  return all;
}

async function killAgainAndAgain(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(Math.random() * 500);
    const victim = kill % processes.length;
    await processes[victim]?.stop('SIGKILL');
    // On the port that the workers know.
    processes[victim] = await serve(service.databaseUrl, new URL(processes[victim]?.url as string).port);
  }
}

/** Some of them, over and over: those that are not claimed, or were released. */
async function cancelAgainAndAgain(ids: readonly string[], stop: AbortSignal): Promise<void> {
  for (let at = 0; !stop.aborted; at++) {
    await shop.cancel(ids[at % ids.length] as string);
    await sleep(20);
  }
}

test('killed at every step, workers and service pay each refund out once, or not at all', async () => {
  const proposed = await propose(REFUNDS);
  const stop = new AbortController();
  const canceling = cancelAgainAndAgain(proposed.slice(0, REFUNDS / 3), stop.signal);
  const killing = killAgainAndAgain();
  const dying = STEPS.map((step) => startWorker('SIGKILL', step));
  const living = atOnce(2, async () => startWorker());
  await untilDone().finally(() => stop.abort());
  await Promise.all([canceling, killing, living]);
  expect(dying.map(({ child }) => child.signalCode)).toEqual(STEPS.map(() => 'SIGKILL'));
  const statuses = new Set((await expectPaidOnce()).map(({ status }) => status));
  expect([...statuses].sort()).toEqual(['canceled', 'failed', 'succeeded']);
});

test.each(STEPS.slice(1))(
  'a worker that froze at "%s" comes back after its lease, when another one has done its work: nothing moves again',
  async (step) => {
    await propose(3);
    const frozen = startWorker('SIGSTOP', step);
    await until(() => frozen.stdout().includes(`at ${step}`));
    startWorker();
    await untilDone();
    const before = await expectPaidOnce();
    const written = frozen.stdout().length;
    frozen.child.kill('SIGCONT');
    const late = await shop.propose(payment, AMOUNT);
    await until(() => frozen.stdout().length > written);
    await untilDone();
    const after = await expectPaidOnce();
    expect(after.slice(1)).toEqual(before);
    expect(after[0]?.id).toBe(late.body.id);
  },
);
