/** The version in package.json is the version that the service shows everywhere. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { measured } from '../support/metrics.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { printed, type Server, startServer, until } from '../support/processes.js';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const { version } = read('package.json') as { version: string };

let database: Awaited<ReturnType<typeof createDatabase>>;
let server: Server;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    WEB_CONCURRENCY: '2',
  });
});

afterAll(async () => {
  await server.stop();
  await database.drop();
});

test('the client, the site, the lock file and the description have the version of package.json', () => {
  const { info } = read('docs/openapi.json');
  const { packages } = read('package-lock.json');
  const others = ['client/package.json', 'docs/package.json'].map((file) => read(file).version);
  expect([...others, packages[''].version, info.version]).toEqual(Array(4).fill(version));
});

test('the newest entry of the changelog is for the version of package.json', () => {
  const [newest] = /^## .*$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  const isReleased = newest !== '## Unreleased';
  const released = new RegExp(
    `^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`,
  );
  if (isReleased) expect(newest).toMatch(released);
  else expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`\n\nThis will be ${version}.`);
});

test('the gauges of the tables are counted once for several processes', async () => {
  await withClient(database.url, (sql) =>
    sql.query(`INSERT INTO webhook_deliveries
      (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)
      VALUES (gen_random_uuid(), 'live', gen_random_uuid(), 'http://a.example', 'a.example', 0, now() + interval '1 day')`),
  );
  const FREE = 'tillgate_database_connections{state="free"}';
  await until(async () => ((await measured(server.url))[FREE] ?? 0) > 10);
  for (const values of await Promise.all(Array.from({ length: 4 }, () => measured(server.url)))) {
    expect(values['tillgate_webhook_deliveries{mode="live",state="later"}']).toBe(1);
    expect(values[FREE]).toBeGreaterThan(10);
  }
});

test('/metrics have the version once, whichever process answers', async () => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  expect(text.match(/^tillgate_build_info.*$/gm)).toEqual([
    `tillgate_build_info{version="${version}"} 1`,
  ]);
});

test('the log of a service with DATABASE_URL is JSON only, and one line has the address and the version', () => {
  const lines = server.stdout().trimEnd().split('\n');
  const started = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'started');
  expect(started).toMatchObject({
    url: server.url,
    version,
    processes: 2,
    schema: expect.any(String),
  });
});

test('the log says that workers are replaced', async () => {
  server.child.kill('SIGHUP');
  expect(JSON.parse(await printed(server, /^(.*"replacing workers".*)$/m))).toMatchObject({
    level: 30,
    workers: 2,
  });
});

test('a service with a higher log level prints the address and the version as a sentence', async () => {
  const quiet = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
  expect(quiet.stdout()).toBe(`Tillgate ${version} listens on ${quiet.url}\n`);
  await quiet.stop();
});
