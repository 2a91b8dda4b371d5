/** Puts one round of load on one server, and measures what it costs each process. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Client, type Instance, type Request } from 'autocannon';
import type { Scenario } from './scenarios.js';
import type { Server } from './servers.js';

/** /proc counts CPU time in this unit: 100 a second on every Linux. */
const TICK_MICROSECONDS = 10_000;

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The microseconds of CPU for each request, or NaN where there is no /proc. */
  readonly serverCpu: number;
  readonly postgresCpu: number;
  /** Counts requests without an answer, or with another answer than the expected one. */
  readonly failed: number;
  /** Counts the answers of each status, and missing answers, for the reader. */
  readonly reasons: string;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** `postgres` is the pid of PostgreSQL's first process. */
export async function measure(
  server: Server,
  scenario: Scenario,
  load: Load,
  postgres: number,
): Promise<Round> {
  const serverBefore = cpuOfFamily(server.pid);
  const postgresBefore = cpuOfFamily(postgres);
  const latencies: number[] = [];
  const { failed, reasons, seconds } = await run(server, scenario, load, latencies);
  const count = latencies.length;
  latencies.sort((one, other) => one - other);
  return {
    perSecond: count / seconds,
    p50: latencies[Math.floor(count * 0.5)] ?? Number.NaN,
    p99: latencies[Math.floor(count * 0.99)] ?? Number.NaN,
    serverCpu: (cpuOfFamily(server.pid) - serverBefore) / count,
    postgresCpu: (cpuOfFamily(postgres) - postgresBefore) / count,
    failed,
    reasons,
  };
}

async function run(
  { url }: Server,
  { requests, status }: Scenario,
  { connections, seconds }: Load,
  took: number[],
) {
  const wrong = new Map<number, number>();
  let place = 0;
  let firstAt = 0;
  let lastAt = 0;
  // Each connection has requests of its own, so that no two change the same row at the same time.
  // It has no more than it needs, because autocannon builds all of them before it begins.
  const share = Math.ceil(requests.length / connections);
  const setupClient = (client: Client) => {
    const start = (place++ * share) % requests.length;
    client.setRequests(requests.slice(start, start + share) as Request[]);
  };
  // autocannon manages the connections, and waits for the last answers of the round.
  const instance = autocannon({
    url,
    connections,
    duration: seconds,
    idReplacement: true,
    setupClient,
  }) as unknown as Instance | PromiseLike<{ errors: number }>;
  (instance as Instance).on('response', (_client, code, _bytes, milliseconds) => {
    lastAt = performance.now();
    firstAt ||= lastAt - milliseconds;
    if (code === status) took.push(milliseconds);
    else wrong.set(code, (wrong.get(code) ?? 0) + 1);
  });
  const { errors } = await (instance as PromiseLike<{ errors: number }>);
  const failed = [...wrong.values()].reduce((sum, count) => sum + count, errors);
  const reasons = [...wrong, ['no answer', errors]]
    .map(([reason, count]) => `${count} × ${reason}`)
    .join(', ');
  return { failed, reasons, seconds: (lastAt - firstAt) / 1000 };
}

/**
 * Returns the CPU time in microseconds that a process and its children have used so far, including
 * children that have ended.
 */
export function cpuOfFamily(pid: number): number {
  const ticksOf = (one: ProcessFacts) => one.ticks + (one.pid === pid ? one.ticksOfEnded : 0);
  return familyOf(pid).reduce((sum, one) => sum + ticksOf(one) * TICK_MICROSECONDS, 0);
}

/** Returns the milliseconds of CPU that an idle server uses in a second. */
export async function cpuOfIdle({ pid }: Server, seconds: number): Promise<number> {
  const before = cpuOfFamily(pid);
  await sleep(seconds * 1_000);
  return (cpuOfFamily(pid) - before) / 1_000 / seconds;
}

/**
 * Returns the memory in MiB of a process and its children. Shared memory counts for each of them.
 */
export function residentMemory(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + residentOf(one.pid), 0);
}

function residentOf(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  /** Returns the time of the children that have ended. */
  readonly ticksOfEnded: number;
}

function familyOf(pid: number): ProcessFacts[] {
  if (process.platform !== 'linux')
    return [{ pid, parent: 0, ticks: Number.NaN, ticksOfEnded: Number.NaN }];
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.flatMap(factsOf).filter((one) => one.pid === pid || one.parent === pid);
}

function factsOf(name: string): ProcessFacts[] {
  try {
    // The name of the program is in parentheses and may contain any character, even spaces.
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ');
    const ticksOf = (place: number) => Number(fields[place]) + Number(fields[place + 1]);
    return [
      {
        pid: Number(name),
        parent: Number(fields[1]),
        ticks: ticksOf(11),
        ticksOfEnded: ticksOf(13),
      },
    ];
  } catch {
    return [];
  }
}
