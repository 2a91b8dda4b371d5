/** `npm run bench:pages`: how many customers a second see the page on which they pay, with a process for each core. */
import { cpus } from 'node:os';
import { measure, type Round } from './measure.js';
import { LARGEST_SESSION, preparePages, SESSION } from './scenarios.js';
import { openBenchDatabase, openShop, startService } from './servers.js';

const LOAD = { connections: 16, seconds: 3 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  try {
    const shop = openShop(database.url);
    const processes = String(cpus().length);
    const settings = { DATABASE_URL: database.url, PUBLIC_URL: 'https://pay.example', WEB_CONCURRENCY: processes };
    const server = await startService(settings);
    say(`${processes} cores, ${processes} processes, Node ${process.version}, ${LOAD.connections} connections`);
    for (const [name, session] of Object.entries({ usual: SESSION, largest: LARGEST_SESSION })) {
      const pages = await preparePages(server.url, shop, session);
      await show(name, () => measure(server, pages, LOAD, database.pid));
    }
    await server.stop();
  } finally {
    await database.close();
  }
}

/** The first round compiles code and fills caches. */
async function show(name: string, measured: () => Promise<Round>): Promise<void> {
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond, p50, p99, serverCpu, postgresCpu, failed } = await measured();
    if (failed > 0) throw new Error(`${failed} pages failed.`);
    if (round === 0) continue;
    const cost = `CPU of a page ${serverCpu.toFixed(0)} µs, PostgreSQL's ${postgresCpu.toFixed(0)} µs`;
    say(`${name}: ${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cost}`);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
