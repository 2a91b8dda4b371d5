import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { installation, type Owner, SHARED_TEMPORARY } from './binaries.js';

/**
 * PostgreSQL logs its start and stop. It does not log refused statements, which are frequent and
 * contain keys and values.
 */
const LOG = ['log_min_messages=log', 'log_min_error_statement=panic', 'log_checkpoints=off'];
const LOG_BYTES = 1_048_576;
/**
 * The limit is enough for the pools of many processes and for commands. A connection that nobody
 * uses takes 50 kB.
 */
const MAX_CONNECTIONS = 500;
/** The exit status of a program whose shared libraries are missing. */
const UNLINKED = 127;
const NOT_INSTALLED =
  'its libraries are not linked. Run npm ci without --ignore-scripts, or set DATABASE_URL to a ' +
  'database of your own.';
/**
 * PostgreSQL collects a new table's statistics after 20 seconds instead of a minute, because until
 * then lists may read the rows of all organizations. A shorter interval costs CPU.
 */
const STATISTICS = 'autovacuum_naptime=20s';
const WORKING_DIRECTORY = '/proc/self/cwd';
/** A pid file younger than this may still be empty, or may be newer than the one that was read. */
const FRESH_MS = 1_000;

/**
 * Creates an empty cluster with password authentication. initdb is detached, so that Ctrl-C does
 * not interrupt it.
 */
export async function initialize(directory: string, user: string, password: string): Promise<void> {
  mkdirSync(directory, { mode: 0o700 });
  const { bin, owner } = await installation(directory);
  const scratch = mkdtempSync(join(owner ? SHARED_TEMPORARY : tmpdir(), 'tillgate-'));
  const passwordFile = join(scratch, 'password');
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (owner)
      for (const path of [directory, scratch, passwordFile]) chownSync(path, owner.uid, owner.gid);
    const place = ['-D', nameFor(owner, directory), '-U', user, `--pwfile=${passwordFile}`];
    const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
    const detached = { cwd: directory, detached: true, ...owner };
    const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
    await initialized(spawn(join(bin, 'initdb'), [...place, ...options], { ...detached, stdio }));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export async function initialized(initdb: ChildProcess): Promise<void> {
  const closed = once(initdb, 'close');
  const said = text(initdb.stderr as Readable);
  const [status, signal] = await closed;
  if (status === 0) return;
  if (status === UNLINKED) throw new Error(NOT_INSTALLED);
  const lines = (await said).split('\n');
  const how = signal ? `was stopped by ${signal}` : `ended with ${status}`;
  throw new Error(lines.find((line) => /error:|FATAL:/.test(line)) ?? `initdb ${how}.`);
}

/**
 * Starts PostgreSQL in a session of its own. Ctrl-C in a terminal then reaches only the service,
 * which stops PostgreSQL itself.
 */
export async function start(
  directory: string,
  logFile: string,
  port?: number,
): Promise<ChildProcess> {
  const { bin, owner } = await installation(directory);
  const log = openSync(logFile, 'a', 0o600);
  // PostgreSQL makes no socket file, because the path of one is limited to 107 bytes.
  const local = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const settings = [
    ...local,
    ...LOG,
    `max_connections=${MAX_CONNECTIONS}`,
    STATISTICS,
    markOf(directory),
  ];
  const options = [
    '-p',
    `${port ?? (await freePort())}`,
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const postgres = spawn(join(bin, 'postgres'), ['-D', nameFor(owner, directory), ...options], {
    cwd: directory,
    detached: true,
    stdio: ['ignore', log, log],
    ...owner,
  });
  closeSync(log);
  // The caller waits for a connection, not for this process, and reads the cause of a failure from
  // the log.
  postgres.on('error', (error) => appendFileSync(logFile, `${error.message}\n`));
  postgres.unref();
  return postgres;
}

export function boundLog(logFile: string): void {
  if (sizeOf(logFile) >= LOG_BYTES) renameSync(logFile, `${logFile}.1`);
}

export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

export function lastFault(directory: string, logFile: string, offset: number): string | undefined {
  if (sizeOf(logFile) <= offset) return undefined;
  const lines = readFileSync(logFile)
    .subarray(offset)
    .toString()
    .replaceAll(WORKING_DIRECTORY, directory)
    .split('\n');
  const line = lines.findLast((line) => / (FATAL|PANIC): |^postgres: /.test(line));
  return line?.slice(line.indexOf(': ') + 2).trim();
}

/**
 * Returns the process ID and the port of the PostgreSQL that runs on a directory. Removes the pid
 * file that an ended one left.
 */
export function processOn(directory: string): { pid: number; port: number } | undefined {
  const file = join(directory, 'postmaster.pid');
  let lines: string[];
  let writtenAt: number;
  try {
    lines = readFileSync(file, 'utf8').split('\n');
    writtenAt = statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  // PostgreSQL itself would mistake a zombie, or any other process with this pid, for a server that
  // runs.
  if (!runsOn(pid, directory)) {
    if (Date.now() - writtenAt > FRESH_MS) rmSync(file, { force: true });
    return undefined;
  }
  return { pid, port: Number(lines[3]) };
}

function runsOn(pid: number, directory: string): boolean {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(markOf(directory));
    } catch {
      return false;
    }
  }
  return isAlive(pid);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns a setting that PostgreSQL ignores and that identifies its process. Root in a container
 * cannot read the working directory of another user's process.
 */
function markOf(directory: string): string {
  return `tillgate.directory=${directory}`;
}

/**
 * Returns the path by which PostgreSQL's user can open the directory. It can always open the
 * working directory that it inherited.
 */
function nameFor(owner: Owner | undefined, directory: string): string {
  return owner && process.platform === 'linux' ? WORKING_DIRECTORY : directory;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
