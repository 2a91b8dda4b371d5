/**
 * `npm run task -- bench:pages` measures how many customers a second see the page on which they
 * pay, with a process for each core.
 */
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import type { Request } from 'autocannon';
import { measure, type Round } from './measure.js';
import { type Scenario, SESSION } from './scenarios.js';
import { openBenchDatabase, openShop, type Shop, startService } from './servers.js';

const LOAD = { connections: 16, seconds: 3 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

const PAGES = 512;
/**
 * The session is as large as a session can be, with texts that grow sixfold when they are escaped.
 */
const LARGEST_SESSION = {
  ...SESSION,
  line_items: Array.from({ length: 100 }, () => {
    const product_data = { name: '"'.repeat(255), description: '"'.repeat(1_000) };
    return { price_data: { currency: 'usd', unit_amount: 1, product_data } };
  }),
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  try {
    const shop = openShop(database.url);
    const processes = String(cpus().length);
    const settings = {
      DATABASE_URL: database.url,
      PUBLIC_URL: 'https://pay.example',
      WEB_CONCURRENCY: processes,
    };
    const server = await startService(settings);
    say(
      `${processes} cores, ${processes} processes, Node ${process.version}, ${LOAD.connections} connections`,
    );
    for (const [name, session] of Object.entries({ usual: SESSION, largest: LARGEST_SESSION })) {
      const pages = await preparePages(server.url, shop, session);
      await show(name, () => measure(server, pages, LOAD, database.pid));
    }
    await server.stop();
  } finally {
    await database.close();
  }
}

/** Requests the page of each session, as a browser does. */
async function preparePages(url: string, { key }: Shop, session: object): Promise<Scenario> {
  const requests: Request[] = [];
  for (let page = 0; page < PAGES; page++) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const created = await fetch(`${url}/v1/checkout_sessions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(session),
    });
    const [, link = ''] = /<([^>]+)>; rel="payment"/.exec(created.headers.get('link') ?? '') ?? [];
    requests.push({
      method: 'GET',
      path: new URL(link).pathname,
      headers: { 'accept-language': 'en-US,en;q=0.9' },
    });
  }
  return { name: 'page', status: 200, requests };
}

/** The first round compiles code and fills caches. */
async function show(name: string, measured: () => Promise<Round>): Promise<void> {
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond, p50, p99, serverCpu, postgresCpu, failed } = await measured();
    if (failed > 0) throw new Error(`${failed} pages failed.`);
    if (round === 0) continue;
    const cost = `CPU of a page ${serverCpu.toFixed(0)} µs, PostgreSQL's ${postgresCpu.toFixed(0)} µs`;
    say(
      `${name}: ${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cost}`,
    );
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
