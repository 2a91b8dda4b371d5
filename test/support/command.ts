import { expect } from '@jest/globals';
import { runCommand } from '../../src/operator/cli/program.js';
import type { Ended } from './processes.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `tillgate` in this process, which takes a twentieth of the time of a process of
 * its own. Returns what it writes, and the status that it would end with. Commands run one after
 * the other, because they share the standard output.
 */
export function command(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const next = before.then(() => captured(words, environment));
  before = next.catch(() => undefined);
  return next;
}

/** Returns commands on this database, which must succeed or fail. */
export function commandsOn(databaseUrl: () => string) {
  const run = (words: readonly string[]) => command(words, { DATABASE_URL: databaseUrl() });
  return {
    /** Runs the command and returns the object that it prints. */
    // biome-ignore lint/suspicious/noExplicitAny: the tests say what the object is.
    async succeed(...words: string[]): Promise<any> {
      const { status, stdout, stderr } = await run(words);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^\{.*\}\n$/);
      return JSON.parse(stdout);
    },
    /** Runs the command and returns the line with which it fails. */
    async fail(...words: string[]): Promise<string> {
      const { status, stdout, stderr } = await run(words);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\n$/);
      return stderr.trimEnd();
    },
  };
}

async function captured(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const { env, stdout, stderr } = process;
  const writes = { stdout: stdout.write, stderr: stderr.write };
  const written: Record<'stdout' | 'stderr', unknown[]> = { stdout: [], stderr: [] };
  stdout.write = (text) => written.stdout.push(text) > 0;
  stderr.write = (text) => written.stderr.push(text) > 0;
  process.env = { LOG_LEVEL: 'silent', ...environment };
  process.exitCode = undefined;
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  try {
    await runCommand(words);
    return {
      status: Number(process.exitCode ?? 0),
      stdout: written.stdout.join(''),
      stderr: written.stderr.join(''),
    };
  } finally {
    process.env = env;
    process.exitCode = undefined;
    stdout.write = writes.stdout;
    stderr.write = writes.stderr;
    for (const [index, signal] of SIGNALS.entries()) {
      for (const added of process.listeners(signal)) {
        if (!listeners[index]?.includes(added)) process.off(signal, added);
      }
    }
  }
}
