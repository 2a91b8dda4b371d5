/** A PostgreSQL of the bench's own. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Client } from 'pg';
import { AppModule } from '../../src/app.module.js';
import { openEmbeddedPostgres } from '../../src/operator/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { readConfig } from '../../src/platform/config.js';
import { stopServers } from '../servers.js';

/** Measured: sessions with all that hangs on them, their indexes, and what the write-ahead log may hold meanwhile. */
const BYTES_PER_ROW = 2_700;
const BYTES_BESIDES = 6e9;

export interface Cluster {
  readonly logFile: string;
  /** Makes a database with the service's tables in it, and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Stops what still uses PostgreSQL and itself, and removes everything it stored. */
  remove(): Promise<void>;
}

/** Throws, saying how much is needed, when the rows would not fit. */
export async function createCluster(rows: number, say: (line: string) => void): Promise<Cluster> {
  refuseWithoutRoom(rows);
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-scale-'));
  const clear = () => rmSync(directory, { recursive: true, force: true });
  try {
    const postgres = await openEmbeddedPostgres({ dataDir: directory, role: 'server', say });
    const remove = async () => {
      await stopServers();
      await postgres.close();
      clear();
    };
    const createDatabase = async (name: string) => {
      const sql = await connect(postgres.url);
      await sql.query(`CREATE DATABASE ${name}`).finally(() => sql.end());
      const url = new URL(postgres.url);
      url.pathname = name;
      await migrate(url.href);
      return url.href;
    };
    return { logFile: join(directory, 'postgres.log'), createDatabase, remove };
  } catch (error) {
    clear();
    throw error;
  }
}

export async function connect(url: string): Promise<Client> {
  const sql = new Client({ connectionString: url });
  sql.on('error', () => undefined);
  await sql.connect();
  return sql;
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

/** The same wiring inside the bench, to run what no request runs: the sweeps, the webhook worker's look, a command. */
export async function openApplication(
  databaseUrl: string,
  { timeLimits } = { timeLimits: false },
): Promise<INestApplicationContext> {
  const module = AppModule.register(readConfig({}), databaseUrl, { timeLimits });
  return NestFactory.createApplicationContext(module, { logger: ['error'], abortOnError: false });
}
