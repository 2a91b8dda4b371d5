/**
 * Runs the service and its command line as real processes, from the build, as a person starts them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A wait looks again after a tenth of the time that it has taken, so that waiting tests leave the
 * cores to others.
 */
const POLL_MS = { shortest: 10, longest: 100 };
/** Nothing takes so long on a busy machine, so this ends what hangs. */
const PATIENCE_MS = 120_000;
/** The address stands in words or in a line of the log. */
const LISTENS = /(?:listens on (?=\S+\n)|"url":"(?=[^"]+"))(http:[^\s"]+)/;

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Returns the output so far. */
  stdout(): string;
  stderr(): string;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Hundreds of processes load the same files, so these are compiled once. No package is a
 * symbolic link, and the check for links would take a fifth of the start.
 */
export const FAST_START = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'tillgate-compiled'),
  NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main',
};

/**
 * Runs a command with the given settings only, and none of the test's own. `wrapper` is a command
 * that runs it, like setpriv.
 */
export function run(
  args: readonly string[],
  environment: Environment = {},
  wrapper: readonly string[] = [],
): Started {
  const [command, ...rest] = [...wrapper, process.execPath, ...args];
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    ...FAST_START,
    LOG_LEVEL: 'silent',
    PORT: '0',
    DEMO: 'off',
    ...environment,
  };
  const child = spawn(command as string, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([status]) => ({
    status: status as number | null,
    stdout,
    stderr,
  }));
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

export async function commandLine(
  args: readonly string[],
  environment: Environment,
): Promise<Ended> {
  return run(['dist/bundle/cli.js', ...args], environment).ended;
}

/** Runs a command on a database, by the build in a folder, and returns what it prints. */
export async function tillgate(
  DATABASE_URL: string,
  words: readonly string[],
  folder = '.',
  // biome-ignore lint/suspicious/noExplicitAny: each command prints something else.
): Promise<any> {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { status, stdout, stderr } = await run([join(folder, bin.tillgate), ...words], {
    DATABASE_URL,
  }).ended;
  if (status !== 0) throw new Error(`tillgate ${words.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** Makes an organization with a key of test mode, and one of its ledger. */
export async function openAccount(DATABASE_URL: string, name: string, folder?: string) {
  const command = (...words: string[]) => tillgate(DATABASE_URL, words, folder);
  const { id: organization } = await command('org', 'create', name);
  const { key } = await command('key', 'create', '--org', organization, '--mode', 'test');
  const { key: ledgerKey } = await command('key', 'create', '--kind', 'ledger', '--mode', 'test');
  return { organization, key, ledgerKey } as {
    organization: string;
    key: string;
    ledgerKey: string;
  };
}

export interface Server extends Started {
  readonly url: string;
  /** The demo on the embedded database has this key. */
  readonly key: string | undefined;
  readonly payment: string | undefined;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export function launch(environment: Environment, wrapper?: readonly string[]): Started {
  return run(['dist/bundle/main.js'], environment, wrapper);
}

/** Resolves when the server listens. Rejects with the output when the server ends instead. */
export async function startServer(
  environment: Environment,
  wrapper?: readonly string[],
): Promise<Server> {
  return listening(launch(environment, wrapper));
}

/** Starts the service on a migrated database, on a free port or the given one. */
export function serve(DATABASE_URL: string, PORT = '0'): Promise<Server> {
  return startServer({ DATABASE_URL, PORT });
}

export async function listening(started: Started): Promise<Server> {
  const url = await printed(started, LISTENS);
  await until(
    () => !started.stdout().includes('Paste these') || started.stdout().includes('Ctrl-C'),
  );
  const demo = demoOf(started.stdout());
  return {
    ...started,
    url,
    key: demo.key,
    payment: demo.payment,
    stop: (signal = 'SIGTERM') => {
      started.child.kill(signal);
      return started.ended;
    },
  };
}

function demoOf(output: string): { key?: string | undefined; payment?: string | undefined } {
  const file = /kept in (.+\/demo\.json)\./.exec(output)?.[1];
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8'));
  return {
    key: /Secret key \(test\) +(\S+)/.exec(output)?.[1],
    payment: /"payment":"(\w+)"/.exec(output)?.[1],
  };
}

/** Waits until the process prints the pattern, and returns its group. */
export async function printed({ stdout, ended, child }: Started, pattern: RegExp): Promise<string> {
  await until(() => pattern.test(stdout()) || child.exitCode !== null || child.signalCode !== null);
  const [, group = ''] = pattern.exec(stdout()) ?? [];
  if (!pattern.test(stdout())) throw new Error(`It ended instead: ${JSON.stringify(await ended)}`);
  return group;
}

/** Waits until a condition is true, as long as a test may take. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
): Promise<void> {
  const began = Date.now();
  while (!(await condition())) {
    const waited = Date.now() - began;
    if (waited > PATIENCE_MS) throw new Error(`Not in ${PATIENCE_MS} ms: ${what}`);
    await sleep(Math.min(Math.max(POLL_MS.shortest, waited / 10), POLL_MS.longest));
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has no command line. It no longer runs, whether or not its parent collects it.
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/**
 * Returns the process ID of the PostgreSQL on a data directory, from the file that it keeps while
 * it runs.
 */
export function postgresPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'pg', 'postmaster.pid');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
}

/** Keeps the directories of a test, and ends at its end everything that still runs on them. */
export class Scratch {
  readonly path = mkdtempSync(join(tmpdir(), 'tillgate faults '));
  private readonly dataDirs: string[] = [];
  private readonly started: Started[] = [];

  dataDir(name = 'data'): string {
    const dataDir = join(this.path, name);
    this.dataDirs.push(dataDir);
    return dataDir;
  }

  keep<Process extends Started>(process: Process): Process {
    this.started.push(process);
    return process;
  }

  async clear(): Promise<void> {
    for (const { child } of this.started) child.kill('SIGKILL');
    await Promise.all(this.started.map(({ ended }) => ended));
    for (const dataDir of this.dataDirs) {
      const pid = postgresPid(dataDir);
      if (pid && pid !== process.pid && isRunning(pid)) process.kill(pid, 'SIGQUIT');
      await until(() => pid === undefined || pid === process.pid || !isRunning(pid));
    }
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
