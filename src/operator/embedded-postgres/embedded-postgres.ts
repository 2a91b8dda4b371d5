/**
 * An embedded PostgreSQL serves a first try of the service. Each process that uses it holds a
 * shared advisory lock, and the last process that leaves stops it.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { makeDirectory, moveIntoPlace } from './binaries.js';
import {
  boundLog,
  initialize,
  isAlive,
  lastFault,
  processOn,
  sizeOf,
  start,
} from './postgres-process.js';

/**
 * These are the numbers of advisory locks. They must never change, because old and new processes
 * may run side by side.
 */
const USERS_LOCK = 7_411_531;
const SERVER_LOCK = 7_411_532;
/** A start may take this long, because PostgreSQL first replays its log after a crash. */
const PATIENCE_MS = 60_000;
const POLL_MS = 20;
/**
 * PostgreSQL is started again if it gave up, for example because a killed one still held its shared
 * memory.
 */
const START_ATTEMPTS = 6;
const START_AGAIN_MS = 500;
const USER = 'tillgate';
const CLUSTER = 'pg';

export interface EmbeddedPostgres {
  readonly url: string;
  close(): Promise<void>;
}

interface Options {
  readonly dataDir: string;
  /** A server is alone on its data directory. Commands may use the directory at the same time. */
  readonly role: 'server' | 'command';
  readonly say?: (line: string) => void;
  /** This is called when PostgreSQL is set up or started, so that the caller can work meanwhile. */
  readonly onLaunch?: () => void;
}

export const holdsDatabase = (dataDir: string): boolean => existsSync(join(dataDir, CLUSTER));

export async function openEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  makeDirectory(resolve(options.dataDir));
  const data = new DataDirectory(realpathSync(options.dataDir), options.say, options.onLaunch);
  await data.prepare();
  let client = await data.enter();
  if (options.role === 'server' && !(await tryLock(client, 'pg_try_advisory_lock', SERVER_LOCK))) {
    await data.leave(client);
    throw new Error(`Another Tillgate server is already running on ${data.path}.`);
  }
  let closing: Promise<void> | undefined;
  let back = Promise.resolve();
  const comeBack = async () => {
    client = await data.enter(client.port);
    await tryLock(client, 'pg_try_advisory_lock', SERVER_LOCK);
    watch();
  };
  // PostgreSQL was killed or crashed, so it is started again at the same address. If that fails,
  // the rejection ends the process.
  const watch = () =>
    client.once('end', () => {
      if (!closing) back = comeBack();
    });
  if (options.role === 'server') watch();
  // Ctrl-C at the end of a command closes twice, and both wait until PostgreSQL has stopped.
  const close = () => (closing ??= back.then(() => data.leave(client)));
  return { url: data.urlOf(client.port), close };
}

class DataDirectory {
  private readonly cluster: string;
  private readonly passwordFile: string;
  readonly logFile: string;

  constructor(
    readonly path: string,
    private readonly say: (line: string) => void = () => undefined,
    private readonly onLaunch: () => void = () => undefined,
  ) {
    this.cluster = join(path, CLUSTER);
    this.passwordFile = join(this.cluster, 'tillgate.password');
    this.logFile = join(path, 'postgres.log');
  }

  urlOf(port: number): string {
    const password = readFileSync(this.passwordFile, 'utf8');
    return `postgres://${USER}:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  }

  /**
   * Creates the cluster in a temporary directory and renames it, so that an interrupted start
   * leaves no partial cluster.
   */
  async prepare(): Promise<void> {
    this.removeHalfMade();
    if (existsSync(this.cluster)) return;
    this.say(`PostgreSQL is being set up in ${this.cluster} …`);
    this.onLaunch();
    const password = randomBytes(24).toString('hex');
    const aside = `${this.cluster}.${process.pid}.new`;
    rmSync(aside, { recursive: true, force: true });
    try {
      await initialize(aside, USER, password);
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      throw new Error(
        `PostgreSQL cannot be set up in ${this.cluster}: ${(error as Error).message}`,
      );
    }
    writeFileSync(join(aside, 'tillgate.password'), password, { mode: 0o600 });
    moveIntoPlace(aside, this.cluster);
  }

  /**
   * Starts PostgreSQL if it does not run, and returns a connection that holds the users' lock. It
   * listens on a free port when none is given.
   */
  async enter(port?: number): Promise<Client> {
    const deadline = performance.now() + PATIENCE_MS;
    boundLog(this.logFile);
    const logged = sizeOf(this.logFile);
    let attempts = 0;
    let postgres: ChildProcess | undefined;
    while (performance.now() < deadline) {
      const live = processOn(this.cluster);
      const client = live && (await this.connect(live.port));
      // The connection or the lock fails while another process stops PostgreSQL.
      if (
        client &&
        (await tryLock(client, 'pg_try_advisory_lock_shared', USERS_LOCK).catch(() => false))
      )
        return client;
      await client?.end().catch(() => undefined);
      const hasEnded = (postgres?.exitCode ?? postgres?.signalCode) !== null;
      if (!live && hasEnded) {
        if (attempts === START_ATTEMPTS) break;
        if (attempts > 0) await sleep(START_AGAIN_MS);
        else this.say(`PostgreSQL 18 is starting in ${this.cluster} …`);
        postgres = await start(this.cluster, this.logFile, port);
        this.onLaunch();
        attempts += 1;
      }
      await sleep(POLL_MS);
    }
    const fault = lastFault(this.cluster, this.logFile, logged);
    const why = fault === undefined ? '.' : `: ${fault.replace(/\.$/, '')}.`;
    throw new Error(
      `PostgreSQL did not start in ${this.cluster}${why} Its log is ${this.logFile}.`,
    );
  }

  async leave(client: Client): Promise<void> {
    const locked = await tryLock(client, 'pg_advisory_unlock_shared', USERS_LOCK)
      .then(() => tryLock(client, 'pg_try_advisory_lock', USERS_LOCK))
      .catch(() => false);
    const live = processOn(this.cluster);
    // SIGINT asks PostgreSQL for a fast shutdown: it closes the remaining connections and writes a
    // checkpoint.
    if (locked && live) process.kill(live.pid, 'SIGINT');
    await client.end().catch(() => undefined);
    while (locked && live && processOn(this.cluster)?.pid === live.pid) await sleep(POLL_MS);
  }

  private async connect(port: number): Promise<Client | undefined> {
    const client = new Client({
      connectionString: this.urlOf(port),
      application_name: 'tillgate data directory',
    });
    client.on('error', () => undefined);
    const connected = client.connect().then(() => client);
    return connected.catch(() => undefined);
  }

  private removeHalfMade(): void {
    for (const name of readdirSync(this.path)) {
      const pid = /^pg\.(\d+)\.new$/.exec(name)?.[1];
      if (!pid || isAlive(Number(pid))) continue;
      try {
        rmSync(join(this.path, name), { recursive: true, force: true });
      } catch {
        // An initdb that outlived its parent may still write. A later start removes what it leaves.
      }
    }
  }
}

async function tryLock(client: Client, call: string, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(`SELECT ${call}($1) AS done`, [lock]);
  return rows[0]?.done === true;
}
