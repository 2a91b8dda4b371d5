/** Tillgate for one drill: an embedded database of its own, the service as a process, an organization and its keys. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { migrate } from '../src/migrate/migrate.js';
import { Complaint } from './complaint.js';

const BUILD = join(import.meta.dirname, '../src');
const LISTENS = /listens on (http:\S+)$/;

export interface Stage {
  readonly url: string;
  readonly organization: string;
  readonly key: string;
  readonly ledgerKey: string;
  readonly sql: Client;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-drill-'));
  const endings = [async () => rmSync(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (let end = endings.pop(); end; end = endings.pop()) await end();
  };
  try {
    const database = await openEmbeddedPostgres({ dataDir, role: 'server' });
    endings.push(database.close);
    await migrate(database.url);
    const sql = new Client({ connectionString: database.url });
    sql.on('error', () => undefined);
    await sql.connect();
    endings.push(() => sql.end());
    const account = await openAccount(database.url);
    const service = await startService(database.url);
    endings.push(service.stop);
    return { ...account, url: service.url, sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Without the caller's own settings, which may be those of another Tillgate. */
function environmentOf(databaseUrl: string) {
  const { PATH, HOME, TMPDIR } = process.env;
  const settings = { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent', WEBHOOK_ALLOW_PRIVATE: 'true' };
  return { PATH, HOME, TMPDIR, ...settings };
}

async function openAccount(databaseUrl: string) {
  const tillgate = async (...words: string[]) => {
    const options = { env: environmentOf(databaseUrl) };
    const { stdout } = await promisify(execFile)(process.execPath, [join(BUILD, 'cli/cli.js'), ...words], options);
    return JSON.parse(stdout);
  };
  const create = ['key', 'create', '--mode', 'test'];
  const [ledger, { id: organization }] = await Promise.all([
    tillgate(...create, '--kind', 'ledger'),
    tillgate('org', 'create', 'Drill'),
  ]);
  const { key } = await tillgate(...create, '--org', organization);
  return { organization, key, ledgerKey: ledger.key } as { organization: string; key: string; ledgerKey: string };
}

async function startService(databaseUrl: string) {
  const child = spawn(process.execPath, [join(BUILD, 'main.js')], {
    env: environmentOf(databaseUrl),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill();
    await ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const [, url] = LISTENS.exec(line) ?? [];
    if (url) return { url, stop };
  }
  throw new Complaint('Tillgate did not start.');
}
