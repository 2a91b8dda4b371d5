/**
 * Several processes look like one from outside: they are replaced under load, and their metrics are
 * added up.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { post, SMALLEST } from '../support/client.js';
import {
  type Answered,
  type Cluster,
  Connection,
  countOf,
  keepAsking,
  replaced,
  startCluster,
  withoutNewConnections,
  withSessionsLocked,
  workersOf,
} from '../support/cluster.js';
import { withScratch } from '../support/embedded.js';
import { until } from '../support/processes.js';

withScratch();

/** Requests of this route are counted under it. */
const ROUTE = '/readyz';
let cluster: Cluster;
/** Each of two workers has one of these connections, because connections are dealt out in turn. */
let pair: readonly Connection[];

beforeEach(async () => {
  cluster = await startCluster();
  pair = [new Connection(cluster.url), new Connection(cluster.url)];
});

afterEach(() => {
  for (const connection of pair) connection.close();
});

async function askBoth(path: string): Promise<Answered[]> {
  return Promise.all(pair.map((connection) => connection.get(path)));
}

async function counted(): Promise<number> {
  const connection = new Connection(cluster.url, { keepAlive: false });
  return countOf((await connection.get('/metrics')).text, ROUTE);
}

test('a restart under steady load fails no request, and loses no count', async () => {
  const old = workersOf(cluster);
  const enough = new AbortController();
  const path = '/v1/checkout_sessions?limit=1';
  const kept = Array.from({ length: 6 }, () => new Connection(cluster.url));
  const others = Array.from({ length: 6 }, () => new Connection(cluster.url, { keepAlive: false }));
  const asking = [...kept, ...others].map((connection, index) =>
    keepAsking(connection, index % 3 === 0 ? ROUTE : path, enough.signal, cluster.key),
  );
  let created: ReturnType<typeof post> | undefined;
  await withSessionsLocked(cluster.dataDir, async (waits) => {
    created = post(`${cluster.url}/v1/checkout_sessions`, { key: cluster.key, body: SMALLEST });
    await waits();
    cluster.child.kill('SIGHUP');
    await until(() => workersOf(cluster).length > old.length);
  });
  expect((await created)?.status).toBe(201);
  await replaced(cluster, old);
  enough.abort();
  const answers = await Promise.all(asking);
  expect(Math.min(...answers)).toBeGreaterThan(0);
  expect(Math.min(...kept.map(({ ends }) => ends))).toBeGreaterThan(0);
  const asked = answers.reduce((sum, each, index) => (index % 3 === 0 ? sum + each : sum), 0);
  await until(async () => (await counted()) === asked);
  expect(await cluster.stop()).toMatchObject({ status: 0, stderr: '' });
});

test('a restart whose new worker does not start is given up, and the old workers continue to serve', async () => {
  const old = workersOf(cluster);
  await withoutNewConnections(cluster.dataDir, async () => {
    cluster.child.kill('SIGHUP');
    await until(() => cluster.stderr() !== '');
  });
  expect(cluster.stderr()).toBe(
    'The restart is given up, because a new worker did not start: ' +
      'database "postgres" is not currently accepting connections\n',
  );
  await until(() => workersOf(cluster).length === 2);
  expect(workersOf(cluster)).toEqual(old);
  expect((await askBoth(ROUTE)).map(({ status }) => status)).toEqual([200, 200]);
});

test('every worker shows the metrics of all workers, including the workers that died', async () => {
  await askBoth(ROUTE);
  await pair[0]?.get(ROUTE);
  await until(async () =>
    (await askBoth('/metrics')).every(({ text }) => countOf(text, ROUTE) === 3),
  );
  // The sum of two start times would have no meaning.
  expect((await pair[0]?.get('/metrics'))?.text).not.toContain('process_start_time_seconds');
  const [victim] = workersOf(cluster) as [number];
  process.kill(victim, 'SIGKILL');
  await replaced(cluster, [victim]);
  await until(async () => (await counted()) === 3);
});

test('the last report of a worker that does not answer is counted', async () => {
  await askBoth(ROUTE);
  await until(async () => (await counted()) === 2);
  const [stopped] = workersOf(cluster) as [number];
  process.kill(stopped, 'SIGSTOP');
  try {
    const { text } = await Promise.any(pair.map((connection) => connection.get('/metrics')));
    expect(countOf(text, ROUTE)).toBe(2);
  } finally {
    process.kill(stopped, 'SIGCONT');
  }
});
