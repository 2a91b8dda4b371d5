/**
 * The PostgreSQL of a soak is embedded, on a small file system of its own where the machine allows
 * one, behind a network that can fail.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbeddedPostgres } from '../../src/operator/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { withClient } from '../support/postgres.js';
import { postgresPid } from '../support/processes.js';
import { Network } from './network.js';

const DISK = '1g';
/** The setting keeps its log of changes far below the size of the disk. */
const LOG_SIZE = '128MB';

export class SoakDatabase {
  private close: () => Promise<void> = async () => undefined;
  /** The harness itself connects past the network. */
  url = '';
  private outside: Network | undefined;

  private constructor(
    private readonly dataDir: string,
    readonly hasOwnDisk: boolean,
  ) {}

  static async open(): Promise<SoakDatabase> {
    const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-soak-'));
    const database = new SoakDatabase(dataDir, mounted(dataDir));
    await database.start();
    database.outside = await Network.open(() => Number(new URL(database.url).port));
    await migrate(database.url);
    await withClient(database.url, async (sql) => {
      await sql.query(`ALTER SYSTEM SET max_wal_size = '${LOG_SIZE}'`);
      await sql.query('SELECT pg_reload_conf()');
    });
    return database;
  }

  get network(): Network {
    return this.outside as Network;
  }

  /** The services connect to this URL, through the network. */
  get outsideUrl(): string {
    const url = new URL(this.url);
    url.port = String(this.network.port);
    return url.href;
  }

  /** Starts PostgreSQL unless it runs. */
  async start(): Promise<void> {
    const { url, close } = await openEmbeddedPostgres({ dataDir: this.dataDir, role: 'command' });
    this.url = url;
    this.close = close;
  }

  /** Stops PostgreSQL: SIGKILL as the kernel does it, SIGINT as an operator does. */
  async end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const pid = postgresPid(this.dataDir);
    if (pid) process.kill(pid, signal);
    await sleep(500);
    await this.start();
  }

  async fillDisk(milliseconds: number): Promise<void> {
    const filler = join(this.dataDir, 'filler');
    const { bavail, bsize } = statfsSync(this.dataDir);
    try {
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    } catch {
      // PostgreSQL has taken some of the space meanwhile, but the disk is full all the same.
    }
    await sleep(milliseconds);
    rmSync(filler, { force: true });
    await this.start();
  }

  async stop(): Promise<void> {
    this.network.close();
    const pid = postgresPid(this.dataDir);
    await this.close();
    // Connections of killed processes may have kept PostgreSQL running.
    if (pid && postgresPid(this.dataDir) === pid) process.kill(pid, 'SIGINT');
    while (postgresPid(this.dataDir) !== undefined) await sleep(50);
    if (this.hasOwnDisk) execFileSync('umount', [this.dataDir]);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Only root may mount a file system, and not in every container. */
function mounted(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
    chmodSync(directory, 0o700);
    return true;
  } catch {
    return false;
  }
}
