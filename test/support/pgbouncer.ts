/** Starts a PgBouncer of the test's own, if PGBOUNCER names the program. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverUrl, withClient } from './postgres.js';
import { until } from './processes.js';
import { freePort } from './sockets.js';

export interface PgBouncer {
  /** Returns the URL of the same database through the pooler. */
  through(url: string): string;
  close(): Promise<void>;
}

export async function startPgBouncer(
  program: string,
  settings: Record<string, string | number>,
): Promise<PgBouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-pgbouncer-'));
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(serverUrl());
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const server = `* = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`;
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, ['[databases]', server, '[pgbouncer]', ...lines, ''].join('\n'));
  // PgBouncer does not run as root.
  chmodSync(directory, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, ['-q', ...user, file], { stdio: 'ignore' });
  const ended = once(child, 'close');
  const through = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  await until(() => isUp(child, through(serverUrl())));
  return {
    through,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

async function isUp(child: ChildProcess, url: string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
  return withClient(url, (client) => client.query('SELECT')).then(
    () => true,
    () => false,
  );
}
