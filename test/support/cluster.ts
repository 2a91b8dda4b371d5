/**
 * A service runs in several processes. Each client stays on one connection, and so with one
 * process.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ask } from './ask.js';
import { preparedCopy, start } from './embedded.js';
import { withClient } from './postgres.js';
import { type Server, until } from './processes.js';

export interface Cluster extends Server {
  readonly dataDir: string;
  readonly key: string;
}

export async function startCluster(environment: Record<string, string> = {}): Promise<Cluster> {
  const dataDir = preparedCopy();
  const server = await start(dataDir, { WEB_CONCURRENCY: '2', ...environment });
  return { ...server, dataDir, key: server.key as string };
}

export function workersOf({ child }: Pick<Server, 'child'>): number[] {
  try {
    const lines = execFileSync('pgrep', ['-P', String(child.pid), '-f', 'worker.js'], {
      encoding: 'utf8',
    });
    return lines.trim().split('\n').map(Number);
  } catch {
    // The command pgrep finds no process.
    return [];
  }
}

/** Waits until there are two workers again, and none of the given ones. */
export async function replaced(cluster: Cluster, old: readonly number[]): Promise<number[]> {
  await until(
    () => workersOf(cluster).length === 2 && !workersOf(cluster).some((pid) => old.includes(pid)),
  );
  return workersOf(cluster);
}

/** Returns the URL of the embedded PostgreSQL, from the files that it keeps. */
export function databaseUrl(dataDir: string, database = 'postgres'): string {
  const read = (file: string) => readFileSync(join(dataDir, 'pg', file), 'utf8');
  return `postgres://tillgate:${read('tillgate.password')}@127.0.0.1:${read('postmaster.pid').split('\n')[3]}/${database}`;
}

/** Lets no new process use the database while `work` runs. Those that are connected still can. */
export async function withoutNewConnections(
  dataDir: string,
  work: () => Promise<void>,
): Promise<void> {
  const allow = (sql: Client, allowed: boolean) =>
    sql.query(`ALTER DATABASE postgres ALLOW_CONNECTIONS ${allowed}`);
  await withClient(databaseUrl(dataDir, 'template1'), async (sql) => {
    await allow(sql, false);
    try {
      await work();
    } finally {
      await allow(sql, true);
    }
  });
}

/**
 * Lets every creation of a session wait while `work` runs, for a lock without a short limit.
 * `waits` resolves when the first one waits.
 */
export async function withSessionsLocked(
  dataDir: string,
  work: (waits: () => Promise<void>) => Promise<void>,
) {
  await withClient(databaseUrl(dataDir), async (sql) => {
    await sql.query(`CREATE OR REPLACE FUNCTION held() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
      AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END';
      CREATE OR REPLACE TRIGGER held BEFORE INSERT ON checkout_sessions FOR EACH ROW EXECUTE FUNCTION held();
      SELECT pg_advisory_lock(7)`);
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 7`;
    await work(() => until(async () => (await sql.query(waiting)).rowCount === 1));
  });
}

export async function isRefused(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(false));
    socket.on('error', () => resolve(true)).on('connect', () => socket.destroy());
  });
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** One connection stays open as long as the server lets it. */
export class Connection {
  /** So many answers ended the connection, after which the next request opened another one. */
  ends = 0;
  private readonly agent: Agent;
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly url: string,
    { keepAlive = true } = {},
  ) {
    this.agent = new Agent({ keepAlive, maxSockets: 1 });
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
    const {
      status,
      headers: answered,
      bytes,
      socket,
    } = await ask(this.url + path, { agent: this.agent, headers });
    if (answered.connection === 'close') this.ends += 1;
    this.sockets.add(socket);
    return { status, text: String(bytes) };
  }

  /**
   * The client was answered on so many connections. It is one, unless the server ended it between
   * two requests.
   */
  get opened(): number {
    return this.sockets.size;
  }

  close(): void {
    this.agent.destroy();
  }
}

/**
 * A client pauses so long between two requests. The load is enough to notice harm, and not so high
 * that nothing else runs.
 */
const STEADY_MS = 5;

/**
 * Asks again and again until `stop`. Resolves with the number of answers, and rejects when an
 * answer is missing or wrong.
 */
export async function keepAsking(
  connection: Connection,
  path: string,
  stop: AbortSignal,
  key = '',
): Promise<number> {
  let answers = 0;
  while (!stop.aborted) {
    const { status, text } = await connection.get(path, { authorization: `Bearer ${key}` });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    answers += 1;
    await sleep(STEADY_MS);
  }
  connection.close();
  return answers;
}

/** Returns the number of requests of a route, by the metrics. */
export function countOf(metrics: string, route: string): number {
  const line = metrics
    .split('\n')
    .find((each) => each.includes('duration_seconds_count') && each.includes(`"${route}"`));
  return Number(line?.split(' ').at(-1));
}
