/**
 * The service stops while callers keep their connections: each request that was sent gets its
 * answer.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.js';
import { Connection } from '../support/cluster.js';
import { launch, startServer, until } from '../support/processes.js';
import { createTenant, type Tenant } from '../support/tenants.js';

const CALLERS = 20;
const STOPS = 3;
/** The log of so many requests is longer than what a pipe and its reader take. */
const LOGGED = 4_000;

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
  tenant = await createTenant(service);
});

afterAll(() => service.close());

test.each(['1', '2'])(
  'a stop of %s workers beside twenty callers cuts no request off',
  async (workers) => {
    for (let stop = 0; stop < STOPS; stop++) {
      const server = await startServer({
        DATABASE_URL: service.databaseUrl,
        WEB_CONCURRENCY: workers,
      });
      let answers = 0;
      /** Sends requests until the port is closed. Every other end is a fault. */
      const call = async () => {
        const connection = new Connection(server.url);
        try {
          for (;;) {
            const { status } = await connection.get('/v1/checkout_sessions', {
              authorization: `Bearer ${tenant.test}`,
            });
            if (status !== 200) return status;
            answers += 1;
          }
        } catch (error) {
          return (error as NodeJS.ErrnoException).code;
        } finally {
          connection.close();
        }
      };
      const callers = Array.from({ length: CALLERS }, call);
      await until(() => answers > 5 * CALLERS);
      expect(await server.stop()).toMatchObject({ status: 0, stderr: '' });
      expect(await Promise.all(callers)).toEqual(Array(CALLERS).fill('ECONNREFUSED'));
    }
  },
);

test.each(['1', '2'])(
  'a stop of %s workers ends although nobody reads their log',
  async (workers) => {
    const server = await startServer({
      DATABASE_URL: service.databaseUrl,
      WEB_CONCURRENCY: workers,
      LOG_LEVEL: 'info',
    });
    const { child } = server;
    child.stdout?.pause();
    const call = async () => {
      const connection = new Connection(server.url);
      for (let request = 0; request < LOGGED / CALLERS; request++)
        await connection.get('/v1/checkout_sessions');
      connection.close();
    };
    try {
      await Promise.all(Array.from({ length: CALLERS }, call));
      child.kill('SIGTERM');
      await until(() => child.exitCode !== null || child.signalCode !== null);
    } finally {
      child.kill('SIGKILL');
      child.stdout?.resume();
    }
  },
);

test('a start that fails writes the lines of its log before it ends', async () => {
  const PORT = new URL(service.url).port;
  const environment = { DATABASE_URL: service.databaseUrl, PORT, LOG_LEVEL: 'info' };
  const { status, stdout } = await launch(environment).ended;
  const lines = stdout.trim().split('\n');
  expect(status).toBe(1);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['stopping', 'stopped']);
});
