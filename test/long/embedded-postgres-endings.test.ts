/**
 * The embedded PostgreSQL and its server end by signals or kills, and start again as real
 * processes.
 */
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { get } from '../support/client.js';
import {
  createSession,
  expectCleanStop,
  killPostgres,
  killServer,
  preparedCopy,
  start,
  statusOf,
  withScratch,
} from '../support/embedded.js';
import { launch, postgresPid, printed, until } from '../support/processes.js';

const scratch = withScratch();

describe('a server that stops', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends with PostgreSQL after %s was sent twice',
    async (signal) => {
      const dataDir = preparedCopy();
      const server = await start(dataDir);
      server.child.kill(signal);
      await expectCleanStop(server, dataDir, signal);
    },
  );

  test.each(['is being set up', 'is starting'])(
    'leaves nothing running when it is stopped while PostgreSQL %s',
    async (step) => {
      const dataDir = scratch().dataDir();
      const server = scratch().keep(launch({ DATA_DIR: dataDir }));
      await printed(server, new RegExp(step));
      server.child.kill('SIGINT');
      expect(await server.ended).toMatchObject({ status: 0, stderr: '' });
      expect(postgresPid(dataDir)).toBeUndefined();
      await expectCleanStop(await start(dataDir), dataDir);
    },
  );

  test('does not wait for the other half of a request', async () => {
    const dataDir = preparedCopy();
    const server = await start(dataDir);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on(
      'error',
      () => undefined,
    );
    await new Promise((resolve) =>
      socket.write('POST /v1/refunds HTTP/1.1\r\nHost: a\r\nContent-Le', resolve),
    );
    expect((await get(`${server.url}/livez`, {})).status).toBe(200);
    await expectCleanStop(server, dataDir);
    socket.destroy();
  });
});

describe('after kill -9', () => {
  test('of the server, the next server takes PostgreSQL over, and stops it at its own end', async () => {
    const dataDir = preparedCopy();
    const first = await start(dataDir);
    const session = await createSession(first);
    const orphan = postgresPid(dataDir);
    await killServer(first);
    const second = await start(dataDir);
    expect(postgresPid(dataDir)).toBe(orphan);
    expect(await statusOf(second, session)).toBe(200);
    await expectCleanStop(second, dataDir);
  });

  test('of both, the next start recovers everything that was acknowledged', async () => {
    const dataDir = preparedCopy();
    const first = await start(dataDir);
    const session = await createSession(first);
    await killServer(first);
    const dead = await killPostgres(dataDir);
    expect(postgresPid(dataDir)).toBe(dead);
    const second = await start(dataDir);
    expect(await statusOf(second, session)).toBe(200);
    await expectCleanStop(second, dataDir);
  });

  test('of PostgreSQL under a running server, it comes back at the same address', async () => {
    const dataDir = preparedCopy();
    const server = await start(dataDir);
    const session = await createSession(server);
    const killed = await killPostgres(dataDir);
    await until(
      async () => (await statusOf(server, session)) === 200 && postgresPid(dataDir) !== killed,
    );
    await createSession(server);
    await expectCleanStop(server, dataDir);
  });

  test.each(['is being set up', 'is starting'])(
    'of a server while PostgreSQL %s, the next start begins again',
    async (step) => {
      const dataDir = scratch().dataDir();
      const killed = scratch().keep(launch({ DATA_DIR: dataDir }));
      await printed(killed, new RegExp(step));
      killed.child.kill('SIGKILL');
      await killed.ended;
      const server = await start(dataDir);
      await createSession(server);
      await expectCleanStop(server, dataDir);
    },
  );
});
