/**
 * The command line works on databases of every kind: embedded, given, empty, out of date, and
 * unreachable.
 */
import { describe, expect, test } from '@jest/globals';
import { limitRole } from '../../src/operator/migrate/migrate.js';
import { MIGRATIONS } from '../../src/persistence/data-source.js';
import {
  createSession,
  expectCleanStop,
  preparedCopy,
  start,
  withScratch,
} from '../support/embedded.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { commandLine, launch, postgresPid, run, until } from '../support/processes.js';

const ALL = MIGRATIONS.map(({ name }) => name);
const scratch = withScratch();

async function onEmptyDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const { url, drop } = await createDatabase({ empty: true });
  try {
    await work(url);
  } finally {
    await drop();
  }
}

async function migrate(url: string, ...options: string[]) {
  const { status, stdout, stderr } = await commandLine(['migrate', ...options], {
    DATABASE_URL: url,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function tablesOf(url: string): Promise<string[]> {
  const sql = `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
  return withClient(url, async (client) =>
    (await client.query(sql)).rows.map(({ tablename }) => tablename),
  );
}

describe('migrate', () => {
  test('applies each migration once when three processes run on an empty database', async () => {
    await onEmptyDatabase(async (url) => {
      const all = await withClient(url, async (client) => {
        // The lock makes all three processes wait, so that they run at once.
        await client.query('BEGIN; SELECT pg_advisory_xact_lock(7411530)');
        const running = Promise.all([migrate(url), migrate(url), migrate(url)]);
        const asking = `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_xact_lock%'`;
        // A transaction sees pg_stat_activity as it was when it first read it, so another
        // connection looks.
        await withClient(url, (other) =>
          until(async () => (await other.query(asking)).rowCount === 3),
        );
        await client.query('ROLLBACK');
        return running;
      });
      expect(all.flatMap(({ applied }) => applied)).toEqual(ALL);
      const sql = 'SELECT name FROM migrations ORDER BY id';
      expect(await withClient(url, async (client) => (await client.query(sql)).rows)).toEqual(
        ALL.map((name) => ({ name })),
      );
    });
  });

  test('gives the role its time limits on this database, or prints the SQL that does', async () => {
    await onEmptyDatabase(async (url) => {
      const limits = async () => {
        const names = [
          'lock_timeout',
          'statement_timeout',
          'idle_in_transaction_session_timeout',
          'plan_cache_mode',
          'enable_bitmapscan',
        ];
        const sql = `SELECT ${names.map((name) => `current_setting('${name}')`).join(` || ' ' || `)} AS limits`;
        return withClient(url, async (client) => (await client.query(sql)).rows[0].limits);
      };
      expect(await limits()).toBe('0 0 0 auto on');
      expect(await limitRole(url)).toEqual([]);
      expect(await limits()).toBe('500ms 5s 10s force_generic_plan off');
      const role = `limited_${Date.now()}`;
      const owner = new URL(url);
      await withClient(url, (client) =>
        client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'limited'`),
      );
      const other = Object.assign(new URL(url), { username: role, password: 'limited' });
      const database = owner.pathname.slice(1);
      expect(await limitRole(other.href)).toEqual([]);
      expect(await limitRole(other.href, owner.username)).toEqual([
        `ALTER ROLE ${owner.username} IN DATABASE ${database} SET lock_timeout = '500ms';`,
        `ALTER ROLE ${owner.username} IN DATABASE ${database} SET statement_timeout = '5s';`,
        `ALTER ROLE ${owner.username} IN DATABASE ${database} SET idle_in_transaction_session_timeout = '10s';`,
        `ALTER ROLE ${owner.username} IN DATABASE ${database} SET plan_cache_mode = 'force_generic_plan';`,
        `ALTER ROLE ${owner.username} IN DATABASE ${database} SET enable_bitmapscan = 'off';`,
      ]);
      await withClient(url, (client) => client.query(`DROP ROLE ${role}`));
    });
  });

  test('distributes nothing without Citus, and says so in one sentence', async () => {
    await onEmptyDatabase(async (url) => {
      const message =
        'This database has no Citus: CREATE EXTENSION citus on all machines, and add workers, first.';
      const refused = await commandLine(['migrate', '--distribute'], { DATABASE_URL: url });
      expect(refused).toEqual({ status: 1, stdout: '', stderr: `${message}\n` });
      expect(await tablesOf(url)).toEqual([]);
    });
  });

  test('must run before a server or a command accepts a given database, which they say in one sentence', async () => {
    await onEmptyDatabase(async (url) => {
      const refusal = {
        status: 1,
        stdout: '',
        stderr:
          'The database schema is not up to date: run `node dist/bundle/cli.js migrate` first.\n',
      };
      expect(await launch({ DATABASE_URL: url }).ended).toEqual(refusal);
      expect(await commandLine(['org', 'create', 'Shop'], { DATABASE_URL: url })).toEqual(refusal);
      await migrate(url);
      await migrate(url, '--revert');
      expect(await launch({ DATABASE_URL: url }).ended).toEqual(refusal);
    });
  });
});

describe('one line is the whole error', () => {
  test.each([
    ['postgres://localhost:1/shop', 'The database cannot be used: connect ECONNREFUSED'],
    ['postgres://nowhere.invalid/shop', 'The database cannot be used: getaddrinfo'],
    [
      'localhost:5432',
      'DATABASE_URL must be a URL like postgres://user:password@host:5432/database, with @',
    ],
  ])('of %s', async (url, message) => {
    const line = new RegExp(`^${message.replaceAll(/[.:/]/g, '\\$&')}[^\\n]*\\n$`);
    const refusal = { status: 1, stdout: '', stderr: expect.stringMatching(line) };
    expect(await commandLine(['migrate'], { DATABASE_URL: url })).toEqual(refusal);
    expect(await launch({ DATABASE_URL: url }).ended).toEqual(refusal);
  });

  test('of a database that does not exist or has another password', async () => {
    await onEmptyDatabase(async (url) => {
      const nowhere = new URL(url);
      nowhere.pathname += '_no';
      const { stderr } = await commandLine(['migrate'], { DATABASE_URL: nowhere.href });
      expect(stderr).toMatch(
        /^The database cannot be used: database ".*_no" does not exist\. Check DATABASE_URL, and that PostgreSQL runs there\.\n$/,
      );
      const other = new URL(url);
      other.password = 'wrong';
      expect((await commandLine(['migrate'], { DATABASE_URL: other.href })).stderr).toBe(
        'The database cannot be used: password authentication failed for user "tillgate". Check DATABASE_URL, and that PostgreSQL runs there.\n',
      );
    });
  });
});

describe('the embedded database', () => {
  const create = (DATA_DIR: string) => commandLine(['org', 'create', 'Shop'], { DATA_DIR });

  test('serves several commands at once without a server, and stops after the last one', async () => {
    const DATA_DIR = scratch().dataDir();
    const made = `DATABASE_URL is not set, and DATA_DIR, ${DATA_DIR}, has no database: one is made.\n`;
    const first = await Promise.all([create(DATA_DIR), create(DATA_DIR)]);
    expect(first.map(({ stderr }) => stderr)).toContain(made);
    for (const { status, stdout, stderr } of first) {
      expect(status).toBe(0);
      // The first command makes the database, and only this one.
      expect(['', made]).toContain(stderr);
      expect(JSON.parse(stdout)).toMatchObject({ name: 'Shop' });
    }
    expect((await create(DATA_DIR)).stderr).toBe('');
    expect(postgresPid(DATA_DIR)).toBeUndefined();
  });

  test('serves a command beside a server, which continues', async () => {
    const DATA_DIR = preparedCopy();
    const server = await start(DATA_DIR);
    const { id } = JSON.parse((await create(DATA_DIR)).stdout);
    const made = await commandLine(['key', 'create', '--org', id, '--mode', 'test'], { DATA_DIR });
    await createSession({ ...server, key: JSON.parse(made.stdout).key });
    await expectCleanStop(server, DATA_DIR);
  });

  test('stops with a command that Ctrl-C ends', async () => {
    const DATA_DIR = preparedCopy();
    const command = scratch().keep(run(['dist/bundle/cli.js', 'migrate'], { DATA_DIR }));
    await until(() => postgresPid(DATA_DIR) !== undefined);
    command.child.kill('SIGINT');
    await command.ended;
    expect(postgresPid(DATA_DIR)).toBeUndefined();
  });
});
