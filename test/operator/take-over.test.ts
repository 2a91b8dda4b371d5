/**
 * `migrate` takes over a database of 1.2.0: the schema becomes that of a new one, and each row
 * stays.
 */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { API_KEY_ID } from '../../src/modules/access/domain/api-key.js';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { MIGRATIONS } from '../../src/persistence/data-source.js';
import { Progress } from '../../src/platform/progress.js';
import { idOf } from '../../src/shared/id.js';
import { startService } from '../kit/service.js';
import { readCatalog } from '../support/catalog.js';
import { get, isReplay, post } from '../support/client.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { commandLine, run, until } from '../support/processes.js';
import { startSockets } from '../support/sockets.js';
import { createDatabaseOf120, STORY } from '../support/version-1-2-0.js';

/** Nothing of 1.2.0 read these any more. */
const GONE = { organizations: ['residence'], idempotency_keys: ['ahead_seconds'] };
/** These came after the schema of 1.2.0. */
const NEW_COLUMNS: Readonly<Record<string, object>> = {
  checkout_sessions: { unique_reference: null },
  organizations: { unique_references: false },
};
const NEW_TABLES = { operator_events: [] };
const SCHEMAS = `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'`;
/** One column has another type than in 1.2.0, and the other is told what to expect. */
const STATISTICS = `SELECT attname AS name, n_distinct = 100 AS "isTold" FROM pg_stats
  WHERE schemaname = 'public' AND tablename = 'refunds' AND attname IN ('organization_id', 'status')
  ORDER BY attname`;
const SLEEPERS = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event = 'PgSleep'`;
const NAMES = MIGRATIONS.map(({ name }) => name);

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

let database: Awaited<ReturnType<typeof createDatabase>>;

const sql = (text: string) =>
  withClient(database.url, async (client) => (await client.query(text)).rows);
const silent = new Progress({ write: () => undefined });

async function rowsOf(): Promise<Rows> {
  const { tables } = await readCatalog(database.url);
  const rows: Record<string, Rows[string]> = {};
  for (const { table } of tables) {
    const found = await sql(
      `SELECT to_jsonb(one) AS row FROM ${table} AS one ORDER BY to_jsonb(one)::text`,
    );
    rows[table] = found.map(({ row }) => row);
  }
  return rows;
}

/** The rows as 2.0 has them. */
function expectedOf(rows: Rows): Rows {
  const kept = Object.entries(rows).map(([table, all]) => {
    const gone = GONE[table as keyof typeof GONE] ?? [];
    const isKept = ([column]: [string, unknown]) => !gone.includes(column);
    const converted = (row: Rows[string][number]) => ({
      ...Object.fromEntries(Object.entries(row).filter(isKept)),
      ...NEW_COLUMNS[table],
    });
    return [table, all.map(converted)];
  });
  const { api_keys: keys = [], ...others } = Object.fromEntries(kept) as Rows;
  const held = keys.map((key) => ({ ...key, holder: key.holder ?? idOf(API_KEY_ID, `${key.id}`) }));
  return { ...others, ...NEW_TABLES, api_keys: held };
}

function sorted(rows: Rows) {
  const entries = Object.entries(rows).map(([table, all]) => [
    table,
    all.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort(),
  ]);
  return Object.fromEntries(entries);
}

describe('a database with rows of each table', () => {
  beforeEach(async () => {
    database = await createDatabaseOf120();
  });

  afterEach(async () => database.drop());

  test('has the schema of a new database and the same rows', async () => {
    const fresh = await createDatabase();
    const before = await rowsOf();
    expect(Object.values(before).filter((rows) => rows.length === 0)).toEqual([]);
    expect(before.api_keys?.some(({ holder }) => holder === null)).toBe(true);

    let told = '';
    const write = (text: string) => {
      told += text;
    };
    expect(await migrate(database.url, new Progress({ write }))).toEqual(NAMES);

    expect(await readCatalog(database.url)).toEqual(await readCatalog(fresh.url));
    expect(sorted(await rowsOf())).toEqual(sorted(expectedOf(before)));
    expect(await sql(SCHEMAS)).toEqual([{ name: 'public' }]);
    expect(await sql(STATISTICS)).toEqual([
      { name: 'organization_id', isTold: true },
      { name: 'status', isTold: false },
    ]);
    for (const [table, { length }] of Object.entries(before))
      expect(told).toMatch(
        new RegExp(`^${table}: ${length} rows with the sum -?\\d+, as before$`, 'm'),
      );
    expect(await migrate(database.url, silent)).toEqual([]);
    await fresh.drop();
  });

  test('serves the shops of the old version', async () => {
    await migrate(database.url, silent);
    await sql(`UPDATE idempotency_keys SET expires_at = now() + interval '1 day'`);
    const service = await startService({ databaseUrl: database.url });
    try {
      const { key, ledgerKey, session, payment, refund } = STORY;
      const at = (path: string) => get(`${service.url}${path}`, { key });
      expect(await at(`/v1/checkout_sessions/${session}`)).toMatchObject({
        status: 200,
        body: { id: session, status: 'complete', payment_status: 'paid' },
      });
      expect(await at(`/v1/refunds/${refund}`)).toMatchObject({
        status: 200,
        body: { id: refund, payment, amount: 100 },
      });
      const proposed = await post(`${service.url}/v1/refunds`, {
        key,
        body: { payment, amount: 7 },
      });
      expect(proposed).toMatchObject({ status: 201, body: { status: 'pending', amount: 7 } });
      const claim = await post(`${service.url}/ledger/v1/refunds/claim`, {
        key: ledgerKey,
        body: { limit: 100 },
      });
      expect(claim.body.data.map(({ id }: { id: string }) => id)).toEqual(
        expect.arrayContaining([refund, proposed.body.id]),
      );
      const again = await post(`${service.url}/v1/checkout_sessions`, {
        key,
        idempotencyKey: STORY.idempotencyKey,
        body: STORY.body,
      });
      expect(isReplay(again)).toBe(true);
    } finally {
      await service.close();
    }
    const { status, stdout } = await commandLine(['reconcile'], { DATABASE_URL: database.url });
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  test('is refused while a server is connected, and says so', async () => {
    const before = await readCatalog(database.url);
    const server = new Client({ connectionString: database.url, application_name: 'tillgate' });
    await server.connect();
    await expect(migrate(database.url, silent)).rejects.toThrow(
      /^Servers or commands of Tillgate are connected .* Stop all of them.* Nothing was changed\.$/,
    );
    await server.end();
    expect(await readCatalog(database.url)).toEqual(before);
    expect(await migrate(database.url, silent)).toEqual(NAMES);
  });

  test('is refused while somebody reads a table, and says so', async () => {
    await withClient(database.url, async (backup) => {
      // Only a take-over that does not give up would be there for the end.
      await backup.query(`SET idle_in_transaction_session_timeout = '20s'`);
      await backup.query('BEGIN');
      await backup.query('LOCK TABLE refunds IN ACCESS SHARE MODE');
      await expect(migrate(database.url, silent)).rejects.toThrow(
        /^Another session uses the tables\. Stop all servers, .* Nothing was changed\.$/,
      );
    });
    expect(await migrate(database.url, silent)).toEqual(NAMES);
  });

  test('stays as it was if a row breaks a rule of the new schema', async () => {
    await sql(`ALTER TABLE refunds DROP CONSTRAINT refunds_lapses;
      UPDATE refunds SET lapses = -1 WHERE reference IS NOT NULL`);
    const before = await rowsOf();
    await expect(migrate(database.url, silent)).rejects.toThrow(/counter/);
    expect(await rowsOf()).toEqual(before);
  });

  test('stays as it was if a row is lost on the way', async () => {
    await sql(`CREATE FUNCTION lose() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF to_regclass('api_keys') IS NOT NULL THEN DELETE FROM api_keys; END IF; END $$;
      CREATE EVENT TRIGGER lose ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
        EXECUTE FUNCTION lose()`);
    const before = await rowsOf();
    await expect(migrate(database.url, silent)).rejects.toThrow(
      /^The table api_keys had \d+ rows .* and has 0 rows .* Nothing was changed\.$/,
    );
    expect(await rowsOf()).toEqual(before);
  });

  test('stays as it was if a table would differ from that of a new database', async () => {
    await sql('ALTER TABLE events DROP CONSTRAINT events_sequence_key');
    const before = await readCatalog(database.url);
    await expect(migrate(database.url, silent)).rejects.toThrow(
      /^The tables would differ .* Nothing was changed\.\n- constraints .*"events_sequence_key"/,
    );
    expect(await readCatalog(database.url)).toEqual(before);
  });

  test('is free soon after the connection is lost in the middle of a long statement', async () => {
    await sql(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(300); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION slow()`);
    const url = new URL(database.url);
    const server = { host: url.hostname, port: Number(url.port) };
    const road = await startSockets((client) => {
      const socket = connect(server);
      client.pipe(socket).pipe(client);
      client.on('close', () => socket.destroy());
    });
    url.host = road.host;
    const works = async () => (await sql(SLEEPERS)).length > 0;
    const cutOff = expect(migrate(url.href, silent)).rejects.toThrow();
    await until(works);
    road.close();
    await cutOff;
    await until(async () => !(await works()));
    await sql('DROP TRIGGER slow ON api_keys');
    expect(await migrate(database.url, silent)).toEqual(NAMES);
  });

  test.each(['api_keys', 'checkout_sessions', 'refunds', 'webhook_endpoints'])(
    'is as before when the process is killed after %s, and the next run takes over',
    async (place) => {
      const [catalog, rows] = [await readCatalog(database.url), await rowsOf()];
      const { child, ended, stderr } = run(['dist/bundle/cli.js', 'migrate'], {
        DATABASE_URL: database.url,
      });
      // The rest takes a few milliseconds, so a look now and then would come too late.
      child.stderr?.on('data', () => {
        if (stderr().includes(`${place}: `)) child.kill('SIGKILL');
      });
      expect(await ended).toMatchObject({ status: null, stdout: '' });
      const others = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'tillgate%'`;
      await until(async () => (await sql(others)).length === 0);
      expect(await readCatalog(database.url)).toEqual(catalog);
      expect(await rowsOf()).toEqual(rows);
      expect(await migrate(database.url, silent)).toEqual(NAMES);
    },
  );
});

test('a database of a version before 1.2.0 is refused, with the way to go', async () => {
  database = await createDatabaseOf120({ withRows: false });
  await sql(`DELETE FROM migrations WHERE name = 'RedactedPaymentIndexes1763700000057'`);
  const before = await readCatalog(database.url);
  await expect(migrate(database.url, silent)).rejects.toThrow(
    /^A version before 1\.2\.0 made this database\. Install 1\.2\.0 first .* Nothing was changed\.$/,
  );
  expect(await readCatalog(database.url)).toEqual(before);
  await database.drop();
});
