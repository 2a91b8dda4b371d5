import { describe, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import {
  type Cluster,
  Connection,
  databaseUrl,
  isRefused,
  keepAsking,
  replaced,
  startCluster,
  withoutNewConnections,
  withSessionsLocked,
  workersOf,
} from '../support/cluster.js';
import {
  createSession,
  expectCleanStop,
  preparedCopy,
  start,
  withScratch,
} from '../support/embedded.js';
import { withClient } from '../support/postgres.js';
import { isRunning, launch, postgresPid, printed, until } from '../support/processes.js';

const scratch = withScratch();

const create = ({ url, key }: Cluster) =>
  post(`${url}/v1/checkout_sessions`, { key, body: SMALLEST });

async function query(dataDir: string, sql: string) {
  return (await withClient(databaseUrl(dataDir), (client) => client.query(sql))).rows;
}

describe('a cluster', () => {
  test('makes everything once at its first start, and says so when every worker listens', async () => {
    const dataDir = scratch().dataDir();
    const server = await start(dataDir, { WEB_CONCURRENCY: '3' });
    const connected = `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'tillgate'`;
    expect(await query(dataDir, connected)).toEqual([{ count: expect.any(Number) }]);
    expect((await query(dataDir, connected))[0].count).toBeGreaterThanOrEqual(3);
    expect(await query(dataDir, 'SELECT name FROM organizations')).toEqual([{ name: 'Demo' }]);
    expect(server.stdout().match(/listens on/g)).toHaveLength(1);
    expect(workersOf(server)).toHaveLength(3);
    await createSession(server);
    await expectCleanStop(server, dataDir);
  });

  const HOST = '203.0.113.1';
  /** This address is reserved for documentation, so it belongs to nobody. */
  test.each([
    ['a host that is not this machine’s', { HOST }, `HOST cannot be listened on: `],
    [
      'a database that cannot be reached',
      { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' },
      'The database cannot be used: ',
    ],
  ])('reports %s once, and leaves nothing running', async (_, environment, words) => {
    const dataDir = preparedCopy();
    const server = scratch().keep(
      launch({ DATA_DIR: dataDir, WEB_CONCURRENCY: '2', ...environment }),
    );
    const { status, stderr } = await server.ended;
    expect({ status, lines: stderr.split('\n') }).toEqual({
      status: 1,
      lines: [expect.stringContaining(words), ''],
    });
    expect([workersOf(server), postgresPid(dataDir)]).toEqual([[], undefined]);
  });
});

describe('a cluster that stops', () => {
  /** In a terminal, Ctrl-C sends the signal to every process at once. */
  test.each([
    ['SIGTERM', () => []],
    ['SIGINT', workersOf],
  ] as const)(
    'answers running requests after %s, and leaves nothing running',
    async (signal, others) => {
      let status = 503;
      // An attempt shows nothing if the machine is so busy that the request fails before the
      // workers stop listening.
      for (let attempt = 0; status === 503 && attempt < 5; attempt++)
        status = await stopWhileCreating(signal, others);
      expect(status).toBe(201);
    },
  );

  async function stopWhileCreating(
    signal: NodeJS.Signals,
    others: (cluster: Cluster) => readonly number[],
  ) {
    const cluster = await startCluster();
    const workers = workersOf(cluster);
    const postgres = postgresPid(cluster.dataDir) as number;
    let created: ReturnType<typeof create> | undefined;
    await withSessionsLocked(cluster.dataDir, async (waits) => {
      created = create(cluster);
      await waits();
      for (const pid of [...others(cluster), cluster.child.pid as number])
        process.kill(pid, signal);
      await until(() => isRefused(cluster.url));
    });
    const status = (await created)?.status ?? 0;
    expect(await cluster.ended).toMatchObject({ status: 0, stderr: '' });
    await until(() => ![...workers, postgres].some(isRunning));
    expect(postgresPid(cluster.dataDir)).toBeUndefined();
    return status;
  }

  test('leaves nothing running when it is stopped while it starts', async () => {
    const dataDir = preparedCopy();
    const server = scratch().keep(launch({ DATA_DIR: dataDir, WEB_CONCURRENCY: '2' }));
    await printed(server, /is starting/);
    await until(() => workersOf(server).length === 2);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ status: 0, stderr: '' });
    expect(postgresPid(dataDir)).toBeUndefined();
  });
});

describe('after kill -9', () => {
  test('of the first process, the workers finish their requests and end', async () => {
    const cluster = await startCluster();
    const workers = workersOf(cluster);
    let created: ReturnType<typeof create> | undefined;
    await withSessionsLocked(cluster.dataDir, async (waits) => {
      created = create(cluster);
      await waits();
      cluster.child.kill('SIGKILL');
      await until(() => !isRunning(cluster.child.pid as number));
    });
    expect((await created)?.status).toBe(201);
    await until(() => !workers.some(isRunning));
    await expectCleanStop(await start(cluster.dataDir), cluster.dataDir);
  });

  test('of a worker, another one replaces it, and the clients of other workers notice nothing', async () => {
    const cluster = await startCluster();
    const [victim] = workersOf(cluster) as [number];
    // Each worker has one of these connections, because connections are dealt out in turn.
    const pair = [new Connection(cluster.url), new Connection(cluster.url)];
    await Promise.all(pair.map((connection) => connection.get('/livez')));
    const enough = new AbortController();
    const clients = Promise.allSettled(
      pair.map((connection) => keepAsking(connection, '/livez', enough.signal)),
    );
    process.kill(victim, 'SIGKILL');
    await replaced(cluster, [victim]);
    enough.abort();
    // The client of the killed worker misses an answer, or only loses its connection if it was
    // between two requests.
    const outcomes = (await clients).map(({ status }, client) =>
      status === 'fulfilled' && pair[client]?.opened === 1 ? 'saw nothing' : 'was cut off',
    );
    expect(outcomes.sort()).toEqual(['saw nothing', 'was cut off']);
    const { stderr, status } = await cluster.stop();
    expect({ stderr, status }).toEqual({
      stderr: `Worker ${victim} ended with SIGKILL: another one starts in 0.1 s.\n`,
      status: 0,
    });
  });

  test('of a worker again and again, the next start waits longer each time, and the other worker serves', async () => {
    const cluster = await startCluster();
    const [victim, survivor] = workersOf(cluster) as [number, number];
    await withoutNewConnections(cluster.dataDir, async () => {
      process.kill(victim, 'SIGKILL');
      await until(() => cluster.stderr().includes('0.2 s'));
      expect((await get(`${cluster.url}/livez`, {})).status).toBe(200);
    });
    await replaced(cluster, [victim]);
    expect(workersOf(cluster)).toContain(survivor);
    expect(cluster.stderr().split('\n').slice(0, 2)).toEqual([
      `Worker ${victim} ended with SIGKILL: another one starts in 0.1 s.`,
      'A worker did not start (database "postgres" is not currently accepting connections): another one starts in 0.2 s.',
    ]);
    await expectEnd(cluster);
  });
});

async function expectEnd(cluster: Cluster): Promise<void> {
  expect(await cluster.stop()).toMatchObject({ status: 0 });
  expect(postgresPid(cluster.dataDir)).toBeUndefined();
}
