/**
 * Sets Tillgate up for one drill: a database of its own, the service as a process, two
 * organizations and their keys.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { Client } from 'pg';
import { AppModule } from '../src/app.module.js';
import { ManageApiKeys, ManageOrganizations } from '../src/modules/access/index.js';
import { commandAuthor } from '../src/operator/author.js';
import { openEmbeddedPostgres } from '../src/operator/embedded-postgres/embedded-postgres.js';
import { migrate } from '../src/operator/migrate/migrate.js';
import { Units } from '../src/persistence/units.js';
import { readConfig } from '../src/platform/config.js';
import type { Work } from '../src/shared/unit.js';
import { Complaint } from './complaint.js';

const SERVICE = fileURLToPath(import.meta.resolve('#bundle/main.js'));
const LISTENS = /listens on (http:\S+)$/;

type Terms = Omit<Parameters<ManageApiKeys['create']>[1], 'mode'>;

interface Accounts {
  readonly organizations: readonly {
    readonly id: string;
    readonly key: string;
    /** Refunds that this key proposes have to be approved. */
    readonly proposersKey: string;
  }[];
  readonly ledgerKey: string;
}

export interface Stage extends Accounts {
  readonly url: string;
  readonly databaseUrl: string;
  readonly sql: Client;
  close(): Promise<void>;
}

type Database = { readonly url: string; close(): Promise<unknown> };

export async function openStage(): Promise<Stage> {
  const endings: (() => unknown)[] = [];
  const close = async () => {
    for (let end = endings.pop(); end; end = endings.pop()) await end();
  };
  try {
    const database = await openDatabase();
    endings.push(database.close);
    await migrate(database.url);
    const sql = await connect(database.url);
    endings.push(() => sql.end());
    const [accounts] = (await openAccounts(database.url, 1)) as [Accounts];
    const service = await startService(database.url);
    endings.push(service.stop);
    return { ...accounts, url: service.url, databaseUrl: database.url, sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the accounts of so many drills, which run one after the other. */
export async function openAccounts(databaseUrl: string, count: number): Promise<Accounts[]> {
  const module = AppModule.register(readConfig(environmentOf(databaseUrl)), databaseUrl, {
    timeLimits: false,
  });
  const application = await NestFactory.createApplicationContext(module, {
    logger: false,
    abortOnError: false,
  });
  const [units, keys] = [application.get(Units), application.get(ManageApiKeys)];
  const commit = <Result>(use: (unit: Work) => Promise<Result>) =>
    units.commit({ queue: 'drill' }, use, commandAuthor());
  const create = (terms: Terms): Promise<string> =>
    commit(async (unit) => (await keys.create(unit, { ...terms, mode: 'test' })).token);
  const openOrganization = async (name: string) => {
    const created = await commit((unit) => application.get(ManageOrganizations).create(unit, name));
    const { id } = created.organization;
    const key = await create({ kind: 'secret', organization: id });
    const restricted = { kind: 'restricted', rights: ['propose'] } as const;
    const proposersKey = await create({ ...restricted, organization: id });
    return { id, key, proposersKey };
  };
  try {
    const ledgerKey = await create({ kind: 'ledger', organization: null });
    const accounts: Accounts[] = [];
    while (accounts.length < count) {
      accounts.push({
        organizations: [await openOrganization('Drill 1'), await openOrganization('Drill 2')],
        ledgerKey,
      });
    }
    return accounts;
  } finally {
    await application.close();
  }
}

/**
 * Opens a database on the embedded PostgreSQL. Where there is none, uses the server of
 * DATABASE_URL, which often has the worker's own database too.
 */
async function openDatabase(): Promise<Database> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-drill-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const { url, close } = await openEmbeddedPostgres({ dataDir, role: 'server' });
    await forgoDurability(url);
    return { url, close: () => close().then(remove) };
  } catch (error) {
    remove();
    const { DATABASE_URL } = process.env;
    if (DATABASE_URL) return createDatabase(DATABASE_URL);
    throw new Complaint((error as Error).message);
  }
}

/** Lets PostgreSQL not wait for the disk, because nothing of the database is kept. */
async function forgoDurability(url: string): Promise<void> {
  const client = await connect(url);
  await client.query('ALTER SYSTEM SET fsync = off');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

async function createDatabase(server: string): Promise<Database> {
  const name = `tillgate_drill_${randomBytes(6).toString('hex')}`;
  const ask = async (sql: string) => {
    const client = await connect(server);
    await client.query(sql).finally(() => client.end());
  };
  await ask(`CREATE DATABASE ${name}`).catch((error) => {
    throw new Complaint(
      `The drill needs a database of its own on the server of DATABASE_URL: ${error.message}.`,
    );
  });
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return { url, close: () => ask(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Leaves out the caller's own settings, which may be those of another Tillgate. */
function environmentOf(databaseUrl: string) {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const settings = {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'silent',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...settings };
}

/**
 * Starts the service in a process group of its own, because Ctrl-C must not end it before the
 * verdict.
 */
async function startService(databaseUrl: string) {
  const child = spawn(process.execPath, [SERVICE], {
    env: environmentOf(databaseUrl),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  // The service may be killed, because nothing of it is kept.
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const [, url] = LISTENS.exec(line) ?? [];
    if (url) return { url, stop };
  }
  throw new Complaint('Tillgate did not start.');
}
