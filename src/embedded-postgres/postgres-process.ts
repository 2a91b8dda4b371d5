import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  copyFileSync,
  fchmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { installation, type Owner, SHARED_TEMPORARY } from './binaries.js';

/** How it starts and ends, but nothing of what it refuses: that is daily business, and holds keys and values. */
const LOG = ['log_min_messages=log', 'log_min_error_statement=panic', 'log_checkpoints=off'];
const FOR_MOVES = 'max_prepared_transactions=2';
const LOG_BYTES = 1_048_576;
/** How the dynamic linker ends a program whose libraries it does not find. */
const UNLINKED = 127;
const NOT_INSTALLED =
  'its libraries are not linked. Run npm ci without --ignore-scripts, or set DATABASE_URL to a database of your own.';
const WORKING_DIRECTORY = '/proc/self/cwd';
/** A pid file this young may still be empty, or have just replaced the one that was read. */
const FRESH_MS = 1_000;

/** Makes an empty cluster with password authentication, out of reach of the terminal's Ctrl-C. */
export async function initialize(directory: string, user: string, password: string): Promise<void> {
  mkdirSync(directory, { mode: 0o700 });
  const { bin, owner } = await installation(directory);
  const scratch = mkdtempSync(join(owner ? SHARED_TEMPORARY : tmpdir(), 'tillgate-'));
  const passwordFile = join(scratch, 'password');
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (owner) for (const path of [directory, scratch, passwordFile]) chownSync(path, owner.uid, owner.gid);
    const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
    await initialized(
      spawn(
        join(bin, 'initdb'),
        ['-D', nameFor(owner, directory), '-U', user, `--pwfile=${passwordFile}`, ...options],
        {
          cwd: directory,
          detached: true,
          stdio: ['ignore', 'ignore', 'pipe'],
          ...owner,
        },
      ),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Resolves when initdb is done; rejects in a sentence when it fails. */
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

/** Starts PostgreSQL on a directory, in a session of its own: Ctrl-C in a terminal must reach the service first. */
export async function start(directory: string, logFile: string, connections: number): Promise<void> {
  const { bin, owner } = await installation(directory);
  const log = openSync(logFile, 'a', 0o600);
  fchmodSync(log, 0o600);
  // No socket file: its path is limited to 107 bytes, which a deep data directory exceeds.
  const local = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const settings = [...local, ...LOG, `max_connections=${connections}`, FOR_MOVES, markOf(directory)];
  const options = ['-p', `${await freePort()}`, ...settings.flatMap((setting) => ['-c', setting])];
  const postgres = spawn(join(bin, 'postgres'), ['-D', nameFor(owner, directory), ...options], {
    cwd: directory,
    detached: true,
    stdio: ['ignore', log, log],
    ...owner,
  });
  closeSync(log);
  // What went wrong stands in the log; the caller waits for a connection, not for this process.
  postgres.on('error', (error) => appendFileSync(logFile, `${error.message}\n`));
  postgres.unref();
}

/** PostgreSQL appends to its log, so that emptying it is enough. What it held is kept until the next time. */
export function boundLog(logFile: string): void {
  if (sizeOf(logFile) < LOG_BYTES) return;
  copyFileSync(logFile, `${logFile}.1`);
  truncateSync(logFile);
}

export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Why PostgreSQL gave up, as its log says past an offset in bytes. */
export function lastFault(directory: string, logFile: string, offset: number): string | undefined {
  if (sizeOf(logFile) <= offset) return undefined;
  const lines = readFileSync(logFile).subarray(offset).toString().replaceAll(WORKING_DIRECTORY, directory).split('\n');
  const line = lines.findLast((line) => / (FATAL|PANIC): |^postgres: /.test(line));
  return line?.slice(line.indexOf(': ') + 2).trim();
}

/** The pid and port of the live PostgreSQL on a directory. A pid file left behind by a dead one is removed. */
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
  // PostgreSQL itself only asks whether the pid lives: a zombie or a stranger with that pid would block it for ever.
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
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A setting that PostgreSQL ignores, to recognize its process by: root in a container can read no other user's cwd. */
function markOf(directory: string): string {
  return `tillgate.directory=${directory}`;
}

/** The data directory as its user can name it: below a closed directory only the inherited working directory is open. */
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
