/**
 * A process that cannot open a file cannot reach its database. It says so, and reaches it again
 * afterwards.
 */
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { startService } from '../kit/service.js';
import { ask } from '../support/ask.js';
import { startServer, until } from '../support/processes.js';
import { createTenant } from '../support/tenants.js';

const FILES = 64;
const ROUNDS = 100;

test('a process without a free file descriptor answers 503 and never 500, and 200 when there are some again', async () => {
  const service = await startService();
  const { test: key } = await createTenant(service);
  const files = ['bash', '-c', `ulimit -n ${FILES}; exec "$@"`, 'bash'];
  const server = await startServer({ DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'warn' }, files);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${key}` };
  const list = async () =>
    (await ask(`${server.url}/v1/checkout_sessions`, { agent, headers })).status;
  const statuses = [await list()];
  const held: Socket[] = [];
  try {
    while (
      !(statuses.includes(503) && server.stdout().includes('EMFILE')) &&
      held.length < ROUNDS
    ) {
      held.push(
        connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined),
      );
      // The service has to open its connections again, and the test takes the file descriptors that
      // they leave.
      await service.sql.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      statuses.push(await list());
    }
    for (const socket of held) socket.destroy();
    await until(
      async () => statuses[statuses.push(await list()) - 1] === 200,
      'the database is reached again',
    );
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
    expect(server.stdout()).toContain('EMFILE');
  } finally {
    agent.destroy();
    await server.stop();
    await service.close();
  }
});
