/** The service as operating systems see it: a process that can be killed. It runs the build, which `npm test` makes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FAST_START } from './processes.js';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

export interface ServiceProcess {
  readonly url: string;
  /** At once, as the kernel does it when memory runs out. */
  kill(): Promise<void>;
  /** As an orchestrator asks for it. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the service on a migrated database and a free port, or the one given, and waits until it listens. */
export async function spawnService(databaseUrl: string, port = '0'): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...FAST_START, PATH: process.env.PATH, DATABASE_URL: databaseUrl, PORT: port, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  };
  try {
    const url = await urlOf(child);
    return { url, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    const url = /^Tillgate \S+ listens on (\S+)$/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('The service ended before it listened.');
}
