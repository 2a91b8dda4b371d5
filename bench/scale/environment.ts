/** A PostgreSQL of the bench's own and the service on it, as shipped: a process of the build with production defaults. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module.js';
import { readConfig } from '../../src/platform/config.js';
import { openEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Measured: sessions with all that hangs on them, their indexes, and what the write-ahead log may hold meanwhile. */
const BYTES_PER_ROW = 2_700;
const BYTES_BESIDES = 6e9;

export interface BenchDatabase {
  readonly url: string;
  readonly logFile: string;
  /** Stops what still uses PostgreSQL and itself, and removes everything it stored. */
  remove(): Promise<void>;
}

/** Throws, saying how much is needed, when the rows would not fit. */
export async function createDatabase(rows: number, say: (line: string) => void): Promise<BenchDatabase> {
  refuseWithoutRoom(rows);
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-scale-'));
  const clear = () => rmSync(directory, { recursive: true, force: true });
  try {
    const postgres = await openEmbeddedPostgres({ dataDir: directory, role: 'server', say });
    const remove = async () => {
      await Promise.all([...services].map((service) => service.stop()));
      await postgres.close();
      clear();
    };
    await migrate(postgres.url).catch((error) => remove().then(() => Promise.reject(error)));
    return { url: postgres.url, logFile: join(directory, 'postgres.log'), remove };
  } catch (error) {
    clear();
    throw error;
  }
}

function refuseWithoutRoom(rows: number): void {
  const needed = BYTES_BESIDES + rows * BYTES_PER_ROW;
  const { bavail, bsize } = statfsSync(tmpdir());
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  if (bavail * bsize < needed) {
    throw new Error(
      `${rows} rows need ${gigabytes(needed)} in ${tmpdir()}, where ${gigabytes(bavail * bsize)} are free. ` +
        'TMPDIR names another place, --rows fewer.',
    );
  }
}

export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

const services = new Set<Pick<Service, 'stop'>>();

export async function startService(databaseUrl: string): Promise<Service> {
  // A group of its own: Ctrl-C reaches the bench alone, which then stops things in order.
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const stop = async () => {
    services.delete(service);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const service = { stop };
  services.add(service);
  const url = await listening(child);
  // Its log is read on and thrown away: a full pipe would stop it.
  child.stdout?.resume();
  return { url, stop };
}

async function listening(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const url = /^Tillgate listens on (\S+)$/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('The service ended before it listened.');
}

/** The same wiring inside the bench, to run what no request runs: the sweeps, the webhook worker's look, a command. */
export async function openApplication(databaseUrl: string): Promise<INestApplicationContext> {
  const module = AppModule.register(readConfig({}), databaseUrl, { timeLimits: false });
  return NestFactory.createApplicationContext(module, { logger: ['error'], abortOnError: false });
}
