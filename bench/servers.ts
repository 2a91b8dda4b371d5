/**
 * Starts the processes of a bench: one embedded PostgreSQL in a directory of its own, and servers
 * on it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '../src/operator/embedded-postgres/embedded-postgres.js';
import { migrate } from '../src/operator/migrate/migrate.js';
import { onStopSignal } from '../src/operator/process/stop-signals.js';
import type { Mode } from '../src/shared/caller.js';

const built = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

export interface BenchDatabase {
  readonly url: string;
  /** The pid of PostgreSQL's first process, whose children are all others. */
  readonly pid: number;
  readonly logFile: string;
  /** Makes another database with the service's tables, and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Stops PostgreSQL and keeps its files until the bench is closed. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes a migrated database with PostgreSQL's own settings, so that every acknowledged write is on
 * the disk.
 */
export async function openBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-bench-'));
  const database = await openEmbeddedPostgres({ dataDir, role: 'server' });
  await migrate(database.url);
  const [pid] = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8').split('\n');
  const createDatabase = async (name: string) => {
    const sql = await connect(database.url);
    await sql.query(`CREATE DATABASE ${name}`).finally(() => sql.end());
    const { href } = Object.assign(new URL(database.url), { pathname: name });
    await migrate(href);
    return href;
  };
  const close = async () => {
    await Promise.all([...running].map(stopProcess));
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  // Ctrl-C reaches the servers too, but not PostgreSQL, which would outlive the bench; `kill`
  // reaches neither.
  onStopSignal(() => void close().finally(() => process.exit(130)));
  return {
    url: database.url,
    pid: Number(pid),
    logFile: join(dataDir, 'postgres.log'),
    createDatabase,
    stop: () => database.close(),
    close,
  };
}

export async function connect(url: string): Promise<Client> {
  const sql = new Client({ connectionString: url });
  sql.on('error', () => undefined);
  await sql.connect();
  return sql;
}

export interface Shop {
  readonly organization: string;
  readonly mode: Mode;
  readonly key: string;
}

/** Makes an organization with a key, by the command line as an operator does. */
export function openShop(databaseUrl: string, mode: Mode = 'test'): Shop {
  const { id: organization } = command(databaseUrl, 'org', 'create', 'Bench');
  const { key } = command(
    databaseUrl,
    'key',
    'create',
    '--org',
    organization as string,
    '--mode',
    mode,
  );
  return { organization: organization as string, mode, key: key as string };
}

/** Runs a command of the service, and returns what it printed. */
export function command(databaseUrl: string, ...words: readonly string[]): Record<string, unknown> {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  return JSON.parse(
    execFileSync(process.execPath, [built('bundle/cli.js'), ...words], {
      env,
      encoding: 'utf8',
    }),
  );
}

export interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Measures the milliseconds from the start of the process to its first answer. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

/** `npm start` and the container give Node these options; docs/explain/performance.md says why. */
const FLAGS = flagsOf(JSON.parse(readFileSync(built('../package.json'), 'utf8')).scripts.start);
/** The limits are switched on, far above what a client on this machine can send. */
const PRODUCTION = { PORT: '0', RATE_LIMIT_RPS: '1000000' };

function flagsOf(start: string): string[] {
  const flags = /^exec node (.+) dist\/bundle\/main\.js$/.exec(start)?.[1];
  if (!flags) throw new Error(`The start script gives Node no flags that can be told: ${start}`);
  return flags.split(' ');
}

/** The baseline has the options of the service, so that only the code differs. */
export function startBare(databaseUrl: string): Promise<Server> {
  return startServer('bare', 'bench/bare.js', { DATABASE_URL: databaseUrl });
}

export function startService(environment: Readonly<Record<string, string>>): Promise<Server> {
  return startServer('tillgate', 'bundle/main.js', { ...PRODUCTION, ...environment });
}

const running = new Set<ChildProcess>();

async function startServer(
  name: string,
  file: string,
  environment: Record<string, string>,
): Promise<Server> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...FLAGS, built(file)], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await urlOf(child);
  await fetch(`${url}/livez`);
  const startedInMs = performance.now() - startedAt;
  return { name, url, pid: child.pid as number, startedInMs, stop: () => stopProcess(child) };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/**
 * Returns the URL that a server prints. Its later output is discarded unread, because reading it
 * would cost the load generator's time.
 */
async function urlOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return new Promise((resolve, reject) => {
    lines.on('line', (text) => {
      const url = /(?:listens on |"url":")(http:[^\s"]+)/.exec(text)?.[1];
      if (!url) return;
      lines.close();
      child.stdout?.resume();
      resolve(url);
    });
    child.once('exit', (code) =>
      reject(new Error(`A server ended with ${code} before it listened.`)),
    );
  });
}
