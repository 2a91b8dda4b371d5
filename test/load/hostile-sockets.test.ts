/**
 * Clients without a key hold sockets for as long as they can. Others are served meanwhile, and
 * everything that was held is freed.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.js';
import { ask } from '../support/ask.js';
import { atOnce, SMALLEST } from '../support/client.js';
import { hasHeadroom, sayNotMeasured } from '../support/headroom.js';
import { run, type Server, type Started, startServer } from '../support/processes.js';
import { createTenant, type Tenant } from '../support/tenants.js';

const FILES = 1_024;
const SOCKETS = 2_000;
const SESSIONS = '/v1/checkout_sessions';
/** These requests in calm show how much the service computes for one request. */
const CALM = 100;
/** A socket should be freed after 15 s. A machine with other work may take longer. */
const FREE_MS = 300_000;
const MORE_BYTES = 100 * 1_024 * 1_024;
/** Connections to PostgreSQL and to receivers come and go. */
const FILES_OF_ITS_OWN = 20;

const BODY = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"line_items":';
const LARGE = '/docs/scalar.js';
const LARGE_FILE = `GET ${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** /proc/<pid>/stat counts in this unit: 100 a second on every Linux on which Node runs. */
const TICK_MS = 10;

interface Kind {
  /** So many sockets send the bytes of each kind. */
  readonly bytes: (tenant: Tenant) => readonly string[];
  readonly reading?: 'ignores';
}

const KINDS: Readonly<Record<string, Kind>> = {
  'unfinished requests, and connections kept open after an answer': {
    bytes: ({ test: key }) => [
      '',
      'GET /livez HTTP/1.1\r\nHost: x\r\nAccept',
      `POST ${SESSIONS} HTTP/1.1\r\nHost: x\r\n${BODY}`,
      `POST ${SESSIONS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: half\r\n${BODY}`,
      'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ],
  },
  'an unread answer': { bytes: () => [LARGE_FILE], reading: 'ignores' },
  'sixteen unread answers': { bytes: () => [LARGE_FILE.repeat(16)], reading: 'ignores' },
  'more unread answers than a connection may have': {
    bytes: () => [LARGE_FILE.repeat(300)],
    reading: 'ignores',
  },
};

let service: Service;
let tenant: Tenant;
let server: Server;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
  const wrapper = ['sh', '-c', `ulimit -n ${FILES}; exec "$0" "$@"`];
  server = await startServer({ DATABASE_URL: service.databaseUrl }, wrapper);
  await atOnce(50, served);
});

afterAll(async () => {
  await server.stop();
  await service.close();
});

const files = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) *
  1_024;

function cpu(): number {
  const [, rest = ''] = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11);
  return (Number(user) + Number(system)) * TICK_MS;
}

/** Measures the CPU time of one such request in calm, in milliseconds. */
async function calmCost(path: string): Promise<number> {
  const start = cpu();
  for (let request = 0; request < CALM; request++) await statusOf('GET', path);
  return (cpu() - start) / CALM;
}

/** Returns the status that a new caller gets on a connection of its own. */
async function statusOf(method: string, path: string, body?: object): Promise<number> {
  const headers = {
    Authorization: `Bearer ${tenant.test}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
  };
  return (await ask(server.url + path, { method, headers, body: body && JSON.stringify(body) }))
    .status;
}

async function served(): Promise<number[]> {
  return [await statusOf('GET', '/livez'), await statusOf('POST', SESSIONS, SMALLEST)];
}

/**
 * Sends requests until the files are free. Returns the longest wait in CPU time, and the most
 * memory.
 */
async function serveUntilFree(
  clients: readonly Started[],
  most: number,
  isMeasured: boolean,
): Promise<{ waited: number; held: number }> {
  const start = performance.now();
  const seen = { waited: 0, held: 0 };
  for (;;) {
    const [asked, computed] = [performance.now(), cpu()];
    // On a busy machine, the socket of a caller may be cut for want of files before its bytes are
    // read. The caller then asks again.
    const answers = served().catch(served);
    if (isMeasured) expect(await answers).toEqual([200, 201]);
    else await answers.catch(() => undefined);
    seen.waited = Math.max(seen.waited, cpu() - computed);
    seen.held = Math.max(seen.held, memory());
    if (clients.every(({ stdout }) => stdout()) && files() <= most) return seen;
    if (asked - start > FREE_MS)
      throw new Error(`${files()} files are open, ${most} at most were expected.`);
    await sleep(50);
  }
}

test.each(Object.entries(KINDS))(
  'the service serves others beside sockets with %s',
  async (kind, { bytes, reading = 'reads' }) => {
    const isMeasured = await hasHeadroom(() => sleep(1_000));
    const calm = await calmCost(reading === 'ignores' ? LARGE : '/livez');
    const [filesBefore, memoryBefore] = [files(), memory()];
    const written = bytes(tenant);
    const count = String(SOCKETS / written.length);
    const clients = written.map((each) =>
      run(['test/support/hostile-sockets.js', server.url, count, reading, each]),
    );
    try {
      const { waited, held } = await serveUntilFree(
        clients,
        filesBefore + FILES_OF_ITS_OWN,
        isMeasured,
      );
      expect(await served()).toEqual([200, 201]);
      // The CPU time is the wait on a core of its own. Each of the two requests of the caller may
      // wait for all sockets.
      if (isMeasured) expect(waited).toBeLessThan(2 * SOCKETS * calm);
      else sayNotMeasured(`how long a caller waits beside ${kind}`);
      expect(held - memoryBefore).toBeLessThan(MORE_BYTES);
    } finally {
      for (const { child } of clients) child.kill('SIGKILL');
      await Promise.all(clients.map(({ ended }) => ended));
    }
  },
);
