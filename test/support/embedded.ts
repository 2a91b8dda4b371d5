/**
 * Each test of the embedded PostgreSQL has a data directory. These functions are what the tests do
 * with it.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { get, post, SMALLEST, untilDecided } from './client.js';
import { isRunning, postgresPid, Scratch, type Server, startServer, until } from './processes.js';

/**
 * The first start makes a data directory in a second, so each test gets a copy of a prepared one.
 */
let prepared: Scratch;
let scratch: Scratch;

/** A test file calls this once at its top. Returns the directories of the test that runs. */
export function withScratch(): () => Scratch {
  beforeAll(async () => {
    prepared = new Scratch();
    const server = prepared.keep(await startServer({ DATA_DIR: prepared.dataDir() }));
    await server.stop();
  });
  afterAll(() => prepared.clear());
  beforeEach(() => {
    scratch = new Scratch();
  });
  afterEach(() => scratch.clear());
  return () => scratch;
}

export function preparedCopy(): string {
  const dataDir = scratch.dataDir();
  execFileSync('cp', ['-Rp', join(prepared.path, 'data'), dataDir]);
  return dataDir;
}

export async function start(
  DATA_DIR: string,
  environment: Record<string, string> = {},
): Promise<Server> {
  return scratch.keep(await startServer({ DATA_DIR, ...environment }));
}

export async function createSession({ url, key }: Server): Promise<string> {
  const { status, body } = await untilDecided(() =>
    post(`${url}/v1/checkout_sessions`, { key, body: SMALLEST }),
  );
  expect(status).toBe(201);
  return body.id;
}

export async function statusOf({ url, key }: Server, session: string): Promise<number> {
  return (await get(`${url}/v1/checkout_sessions/${session}`, { key })).status;
}

/** Stops the process with a signal, and expects that no process and no pid file is left. */
export async function expectCleanStop(
  server: Server,
  dataDir: string,
  signal?: NodeJS.Signals,
): Promise<void> {
  const pid = postgresPid(dataDir) as number;
  expect(isRunning(pid)).toBe(true);
  expect(await server.stop(signal)).toMatchObject({ status: 0, stderr: '' });
  await until(() => !isRunning(pid));
  expect(postgresPid(dataDir)).toBeUndefined();
}

export async function killServer({ child, ended }: Server): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

export async function killPostgres(dataDir: string): Promise<number> {
  const pid = postgresPid(dataDir) as number;
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
  return pid;
}
