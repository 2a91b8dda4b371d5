/**
 * `npm run task -- bench:webhooks` measures how many deliveries a second reach healthy receivers of
 * several organizations, and how long an event takes from its commit to its receiver. All processes
 * share the machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { uuidOf } from '../src/shared/id.js';
import { cpuOfFamily } from './measure.js';
import { SESSION } from './scenarios.js';
import {
  connect,
  openBenchDatabase,
  openShop,
  type Server,
  type Shop,
  startService,
} from './servers.js';
import type { Received } from './webhook-receivers.js';

const ORGANIZATIONS = 4;
const RECEIVERS = 8;
/** Each organization has so many endpoints, at receivers that it shares with the others. */
const ENDPOINTS = 2;
/** Each organization has so many events. */
const BACKLOG = 1_250;
const ROUNDS = 3;
const PACED = { perSecond: 50, seconds: 10 };

/** Copies an event of each organization, as if other processes had just committed as many. */
const FILL = `WITH made AS (
    INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
    SELECT organization_id, mode, uuidv7(), type, uuidv7(), 1, data FROM (
      SELECT DISTINCT ON (organization_id) * FROM events WHERE organization_id = ANY ($1)) AS one
    CROSS JOIN generate_series(1, $2) RETURNING organization_id, mode, id)
  INSERT INTO webhook_deliveries
    (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)
  SELECT made.organization_id, made.mode, made.id, endpoint.id, endpoint.url, endpoint.receiver, 0, '-infinity'
  FROM made JOIN webhook_endpoints endpoint USING (organization_id, mode)`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Bench {
  readonly server: Server;
  readonly shops: readonly Shop[];
  readonly sql: Client;
  readonly receivers: ChildProcess;
  readonly postgres: number;
}

async function main(): Promise<void> {
  say(
    `${cpus().length} cores, Node ${process.version}, ${ORGANIZATIONS} organizations, ${RECEIVERS} receivers`,
  );
  const database = await openBenchDatabase();
  const sql = await connect(database.url);
  const receivers = fork(fileURLToPath(new URL('webhook-receivers.js', import.meta.url)), [
    String(RECEIVERS),
  ]);
  try {
    const [urls] = (await once(receivers, 'message')) as [string[]];
    const server = await startService({
      DATABASE_URL: database.url,
      WEBHOOK_ALLOW_PRIVATE: 'true',
    });
    const shops = Array.from({ length: ORGANIZATIONS }, () => openShop(database.url));
    const bench = { server, shops, sql, receivers, postgres: database.pid };
    for (let at = 0; at < ORGANIZATIONS * ENDPOINTS; at++)
      await write(server, 'webhook_endpoints', shops[at % ORGANIZATIONS] as Shop, {
        url: urls[at % RECEIVERS],
      });
    const rates = [];
    for (let round = 0; round <= ROUNDS; round++) {
      rates.push(await measureRate(bench));
      say(`  round ${round} done`);
    }
    report({ rates: rates.slice(1), latency: await measureLatency(bench) });
    await server.stop();
  } finally {
    receivers.disconnect();
    await sql.end();
    await database.close();
  }
}

async function write(
  { url }: Server,
  resource: string,
  { key }: Shop,
  body: unknown,
): Promise<void> {
  const authorization = `Bearer ${key}`;
  const headers = {
    authorization,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const answer = await fetch(`${url}/v1/${resource}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (answer.status !== 201)
    throw new Error(`${resource} answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}

async function measureRate({ server, shops, sql, receivers, postgres }: Bench) {
  for (const shop of shops) await write(server, 'checkout_sessions', shop, SESSION);
  await allDelivered(sql);
  await takeReceived(receivers);
  const used = () => [server.pid, postgres, receivers.pid as number].map(cpuOfFamily);
  const before = used();
  await sql.query(FILL, [shops.map(({ organization }) => uuidOf(organization)), BACKLOG]);
  await allDelivered(sql);
  const { count, first, last } = await takeReceived(receivers);
  const [service = 0, database = 0, receiving = 0] = used().map(
    (now, at) => (now - (before[at] ?? 0)) / count,
  );
  return {
    count,
    perSecond: (1000 * count) / (last - first),
    cpu: { service, database, receiving },
  };
}

/** Sessions are created at a steady pace. */
async function measureLatency({ server, shops, sql, receivers }: Bench) {
  await takeReceived(receivers);
  const started = performance.now();
  const writes = [];
  for (let at = 0; at < PACED.perSecond * PACED.seconds; at++) {
    await sleep(Math.max(0, started + (1000 * at) / PACED.perSecond - performance.now()));
    writes.push(write(server, 'checkout_sessions', shops[at % ORGANIZATIONS] as Shop, SESSION));
  }
  await Promise.all(writes);
  await allDelivered(sql);
  const latencies = (await takeReceived(receivers)).latencies.toSorted((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { count: latencies.length, p50: at(0.5), p99: at(0.99) };
}

async function allDelivered(sql: Client): Promise<void> {
  const left = () =>
    sql.query('SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL LIMIT 1');
  while ((await left()).rows.length > 0) await sleep(100);
}

async function takeReceived(receivers: ChildProcess): Promise<Received> {
  receivers.send('report');
  return ((await once(receivers, 'message')) as [Received])[0];
}

interface Result {
  readonly rates: readonly Awaited<ReturnType<typeof measureRate>>[];
  readonly latency: Awaited<ReturnType<typeof measureLatency>>;
}

function report(result: Result): void {
  const { rates, latency } = result;
  for (const { count, perSecond, cpu } of rates) {
    const [service, database, receiving] = [cpu.service, cpu.database, cpu.receiving].map(
      Math.round,
    );
    say(
      `${count} deliveries, ${perSecond.toFixed(0)} a second; CPU of each: service ${service} µs, ` +
        `PostgreSQL ${database} µs, receivers ${receiving} µs`,
    );
  }
  say(
    `Commit to first byte, ${PACED.perSecond} sessions a second: p50 ${latency.p50.toFixed(0)} ms, p99 ${latency.p99.toFixed(0)} ms`,
  );
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(
    'bench/results/webhooks.json',
    `${JSON.stringify({ at: new Date().toISOString(), ...result }, null, 2)}\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
