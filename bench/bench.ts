/**
 * `npm run task -- bench` measures the service as it ships beside the hand-written baseline, on one
 * PostgreSQL and one machine. Their rounds take turns, because a shared machine is faster in one
 * minute than in the next: ratios hold where figures do not.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode } from '../src/shared/caller.js';
import { cpuOfIdle, measure, type Round, residentMemory } from './measure.js';
import { latencyPicture, throughputPicture } from './pictures.js';
import { prepareScenarios, type Scenario } from './scenarios.js';
import {
  openBenchDatabase,
  openShop,
  type Server,
  type Shop,
  startBare,
  startService,
} from './servers.js';
import { type Comparison, compare, median, print } from './table.js';

const RESULTS = 'bench/results';
const SECONDS = 2;
/**
 * The warm-up of an operation: V8 compiles its code in the first seconds of load, and a service
 * runs for weeks.
 */
const WARM_UP_SECONDS = 6;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const STARTS = 3;
const SHOPS = 8;
const IDLE_SECONDS = 20;

interface LoadOf {
  readonly label: string;
  /** Rows are of test mode, unless the load says otherwise. */
  readonly mode?: Mode;
  readonly shops: number;
  readonly connections: number;
  readonly operations: readonly string[];
}

const OPERATIONS = ['create', 'read', 'list', 'refund', 'replay'];
const LOADS: readonly LoadOf[] = [
  { label: '', shops: 1, connections: 16, operations: OPERATIONS },
  { label: ', live', mode: 'live', shops: 1, connections: 16, operations: OPERATIONS },
  ...[16, 64].map((connections) => ({
    label: `, ${SHOPS} shops, ${connections} connections`,
    shops: SHOPS,
    connections,
    operations: ['create', 'refund'],
  })),
  ...(['test', 'live'] as const).map((mode) => ({
    label: `, ${mode}, 1 connection`,
    mode,
    shops: 1,
    connections: 1,
    operations: ['create', 'refund', 'replay'],
  })),
  ...[64, 256, 1024].map((connections) => {
    return { label: `, ${connections} connections`, shops: 1, connections, operations: ['create'] };
  }),
];
/** `npm run task -- bench create` measures only the operations whose name contains this. */
const WANTED = process.argv[2] ?? '';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Holds a server and its requests: the scenarios of each shop, by mode. */
interface Contestant {
  readonly server: Server;
  readonly shops: Readonly<Record<Mode, readonly (readonly Scenario[])[]>>;
}

async function main(): Promise<void> {
  say(`${cpus().length} cores, Node ${process.version}, ${ROUNDS} rounds of ${SECONDS} s`);
  const starts = await measureStarts();
  const database = await openBenchDatabase();
  const servers: Server[] = [];
  try {
    const testShops = Array.from({ length: SHOPS }, () => openShop(database.url));
    const shops = [...testShops, openShop(database.url, 'live')];
    servers.push(await startBare(database.url), await startService({ DATABASE_URL: database.url }));
    const idle = [];
    for (const server of servers)
      idle.push({ name: server.name, cpu: await cpuOfIdle(server, IDLE_SECONDS) });
    const contestants = [];
    for (const server of servers) contestants.push(await contestantOf(server, database.url, shops));
    const operations: Comparison[] = [];
    const memory = [];
    for (const load of LOADS) {
      const measured = await measureLoad(contestants, load, database.pid);
      if (measured.length === 0) continue;
      operations.push(...measured);
      const after = load.label.slice(2) || '16 connections';
      memory.push({ after, megabytes: servers.map(memoryOf) });
    }
    const at = new Date().toISOString();
    const machine = { at, node: process.version, cores: cpus().length };
    write({ ...machine, starts, operations, memory, idle });
  } finally {
    for (const server of servers) await server.stop();
    await database.close();
  }
}

async function contestantOf(
  server: Server,
  databaseUrl: string,
  shops: readonly Shop[],
): Promise<Contestant> {
  const prepared: Record<Mode, (readonly Scenario[])[]> = { test: [], live: [] };
  for (const shop of shops)
    prepared[shop.mode].push(await prepareScenarios(server.url, databaseUrl, shop));
  return { server, shops: prepared };
}

const memoryOf = ({ name, pid }: Server) => ({ name, megabytes: Math.round(residentMemory(pid)) });

/** Measures the operations of a load whose names were asked for. */
async function measureLoad(
  contestants: readonly Contestant[],
  load: LoadOf,
  postgres: number,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const operation of load.operations) {
    const name = `${operation}${load.label}`;
    if (!name.includes(WANTED)) continue;
    const [bare, tillgate] = await measureOperation(contestants, operation, load, postgres);
    comparisons.push(compare(name, bare as Round[], tillgate as Round[]));
    say(`  ${name} done`);
  }
  return comparisons;
}

/** Prints the result, and writes it with its pictures. */
function write(result: Parameters<typeof print>[0] & { operations: readonly Comparison[] }): void {
  print(result, say);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/bench.json`, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(`${RESULTS}/throughput.svg`, throughputPicture(result.operations));
  const latency = latencyPicture(result.operations);
  if (latency !== undefined) writeFileSync(`${RESULTS}/latency.svg`, latency);
  say(`\nAll of it, with pictures: ${RESULTS}/bench.json, throughput.svg, latency.svg`);
}

/** Every second round has the opposite order, so that no server always follows the same one. */
async function measureOperation(
  contestants: readonly Contestant[],
  operation: string,
  { mode = 'test', shops, connections }: LoadOf,
  postgres: number,
): Promise<Round[][]> {
  const rounds: Round[][] = contestants.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    const places = [...contestants.entries()];
    for (const [place, { server, shops: prepared }] of round % 2 === 0
      ? places
      : places.reverse()) {
      const scenario = ofShops(prepared[mode].slice(0, shops), operation);
      const seconds = round === 0 ? WARM_UP_SECONDS : SECONDS;
      const measured = await measure(server, scenario, { connections, seconds }, postgres);
      if (measured.failed > 0)
        throw new Error(`${server.name}: of ${scenario.name} failed ${measured.reasons}.`);
      if (round > 0) rounds[place]?.push(measured);
    }
  }
  return rounds;
}

/**
 * Connections divide the requests among them in this order, so that each connection serves one
 * shop.
 */
function ofShops(shops: readonly (readonly Scenario[])[], operation: string): Scenario {
  const scenarios = shops.map((all) => all.find(({ name }) => name === operation) as Scenario);
  return { ...(scenarios[0] as Scenario), requests: scenarios.flatMap(({ requests }) => requests) };
}

/**
 * Measures the milliseconds from the start of the process to its first answer, first on no data and
 * then on existing data.
 */
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
