/**
 * `npm run bench`: the service as it ships beside the hand-written baseline, on one PostgreSQL and one machine. Rounds take
 * turns, because a shared machine is faster in one minute than in the next: ratios hold where figures do not.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, type Round, residentMemory } from './measure.js';
import { prepareScenarios, type Scenario } from './scenarios.js';
import { openBenchDatabase, openShop, type Server, startBare, startService } from './servers.js';
import { compare, median, print } from './table.js';

const CONNECTIONS = 16;
const WARM_UP = { connections: CONNECTIONS, seconds: 2 };
const ROUND = { connections: CONNECTIONS, seconds: 3 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const STARTS = 3;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Contestant {
  readonly server: Server;
  readonly scenarios: readonly Scenario[];
}

async function main(): Promise<void> {
  say(
    `${cpus().length} cores, Node ${process.version}, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND.seconds} s`,
  );
  const starts = await measureStarts();
  const database = await openBenchDatabase();
  const servers: Server[] = [];
  try {
    const shop = openShop(database.url);
    servers.push(await startBare(database.url), await startService({ DATABASE_URL: database.url }));
    const contestants: Contestant[] = [];
    for (const server of servers) {
      contestants.push({ server, scenarios: await prepareScenarios(server.url, database.url, shop) });
    }
    const operations = [];
    for (const index of (contestants[0] as Contestant).scenarios.keys()) {
      const rounds = await measureOperation(contestants, index, database.pid);
      const name = contestants[0]?.scenarios[index]?.name ?? '';
      operations.push(compare(name, rounds[0] as Round[], rounds[1] as Round[]));
      say(`  ${name} done`);
    }
    const memory = servers.map(({ name, pid }) => ({ name, megabytes: Math.round(residentMemory(pid)) }));
    const result = {
      at: new Date().toISOString(),
      node: process.version,
      cores: cpus().length,
      starts,
      operations,
      memory,
    };
    print(result, say);
    mkdirSync('bench/results', { recursive: true });
    writeFileSync('bench/results/bench.json', `${JSON.stringify(result, null, 2)}\n`);
    say('\nAll of it: bench/results/bench.json');
  } finally {
    for (const server of servers) await server.stop();
    await database.close();
  }
}

async function measureOperation(
  contestants: readonly Contestant[],
  index: number,
  postgres: number,
): Promise<Round[][]> {
  const rounds: Round[][] = contestants.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [place, { server, scenarios }] of contestants.entries()) {
      const load = round === 0 ? WARM_UP : ROUND;
      const measured = await measure(server, scenarios[index] as Scenario, load, postgres);
      if (measured.failed > 0)
        throw new Error(`${server.name}: ${measured.failed} requests of ${scenarios[index]?.name} failed.`);
      if (round > 0) rounds[place]?.push(measured);
    }
  }
  return rounds;
}

/** Milliseconds from the start of the process to its first answer: on no data at all, then on existing data. */
async function measureStarts(): Promise<{ first: number; again: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-start-'));
  const times: number[] = [];
  try {
    for (let start = 0; start <= STARTS; start++) {
      const server = await startService({ DATA_DIR: dataDir });
      times.push(server.startedInMs);
      await server.stop();
    }
    const [first = Number.NaN, ...again] = times;
    return { first, again: median(again) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
