/**
 * `npm run bench:connections`: what happens as clients grow, and with more worker processes. Throughput must not fall
 * behind its peak, and memory must not follow the number of connections.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { measure, type Round, residentMemory } from './measure.js';
import { prepareScenarios, type Scenario } from './scenarios.js';
import { openBenchDatabase, openShop, type Server, startService } from './servers.js';
import { median } from './table.js';

const CONNECTIONS = [1, 16, 64, 256, 1024];
const WORKERS = [1, 2];
const OPERATIONS = ['create', 'read'];
const SECONDS = 3;
/** Levels take turns, and a level is the median of its rounds: a shared machine is faster in one minute than in the next. */
const ROUNDS = 3;
const WARM_UP = { connections: 16, seconds: 2 };

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Level {
  readonly workers: number;
  readonly operation: string;
  readonly connections: number;
  readonly perSecond: number;
  /** Of the highest throughput with this many workers. */
  readonly ofPeak: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
  /** The most that all processes of the service held together. */
  readonly megabytes: number;
}

type Measured = Round & { readonly megabytes: number };

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const levels: Level[] = [];
  try {
    const shop = openShop(database.url);
    for (const workers of WORKERS) {
      const environment = { DATABASE_URL: database.url, WEB_CONCURRENCY: String(workers) };
      const server = await startService(environment);
      const scenarios = await prepareScenarios(server.url, database.url, shop);
      for (const scenario of scenarios.filter(({ name }) => OPERATIONS.includes(name))) {
        await measure(server, scenario, WARM_UP, database.pid);
        levels.push(...(await climb(server, scenario, workers, database.pid)));
      }
      await server.stop();
    }
  } finally {
    await database.close();
  }
  say('workers  operation  connections   req/s  of peak   p50 ms    p99 ms  failed  MiB');
  for (const level of levels) say(lineOf(level));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/connections.json', `${JSON.stringify(levels, null, 2)}\n`);
}

async function climb(server: Server, scenario: Scenario, workers: number, postgres: number): Promise<Level[]> {
  const rounds = CONNECTIONS.map((): Measured[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, connections] of CONNECTIONS.entries()) {
      const measured = await measure(server, scenario, { connections, seconds: SECONDS }, postgres);
      rounds[place]?.push({ ...measured, megabytes: Math.round(residentMemory(server.pid)) });
    }
  }
  const levels = rounds.map((ofLevel, place) => ({
    workers,
    operation: scenario.name,
    connections: CONNECTIONS[place] as number,
    perSecond: median(ofLevel.map(({ perSecond }) => perSecond)),
    p50: median(ofLevel.map(({ p50 }) => p50)),
    p99: median(ofLevel.map(({ p99 }) => p99)),
    failed: ofLevel.reduce((sum, { failed }) => sum + failed, 0),
    megabytes: Math.max(...ofLevel.map(({ megabytes }) => megabytes)),
  }));
  const peak = Math.max(...levels.map(({ perSecond }) => perSecond));
  return levels.map((level) => ({ ...level, ofPeak: level.perSecond / peak }));
}

function lineOf({ workers, operation, connections, perSecond, ofPeak, p50, p99, failed, megabytes }: Level): string {
  const figures = [
    connections.toString().padStart(11),
    perSecond.toFixed(0).padStart(6),
    ofPeak.toFixed(2).padStart(7),
    p50.toFixed(1).padStart(7),
    p99.toFixed(1).padStart(8),
    failed.toString().padStart(6),
    megabytes.toString().padStart(3),
  ];
  return `${workers.toString().padStart(7)}  ${operation.padEnd(9)}  ${figures.join('  ')}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
