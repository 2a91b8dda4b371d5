/**
 * These checks ask PostgreSQL about itself, its schema, its connections and its stored secrets, and
 * look for a pooler between it and this machine.
 */
import type { Client } from 'pg';
import { MIGRATIONS, SETTINGS } from '../../../persistence/data-source.js';
import {
  encryptedColumns,
  type Look,
  valuesIn,
} from '../../../persistence/encryption/encrypted-columns.js';
import { Encryption, STORED_KEY } from '../../../persistence/encryption/encryption.js';
import { sqlState } from '../../../persistence/faults.js';
import type { Config } from '../../../platform/config.js';
import { VERSION } from '../../../platform/version.js';
import type { Clock } from '../../../shared/clock.js';
import { runElsewhere } from '../../migrate/pooler.js';
import { oldVersionOf } from '../../migrate/take-over/old-version.js';
import { type Finding, fail, ok, warn } from './finding.js';

/** A process opens one connection in addition to its pool, to listen for notifications. */
const LISTENERS = 1;
const SPARE = 5;
const SKEW_WARN_MS = 1_000;
const SKEW_FAIL_MS = 60_000;

const SERVER = `WITH off AS (SELECT string_agg(name, ' and ') AS names FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off')
  SELECT name, CASE WHEN is_well THEN 'ok' ELSE 'fail' END AS status, found,
    CASE WHEN NOT is_well THEN advice END AS advice
  FROM off, LATERAL (VALUES
    ('postgresql', current_setting('server_version_num')::integer >= 150000,
      'PostgreSQL is ' || current_setting('server_version') || '.', 'Upgrade it to 15 or newer.'),
    ('encoding', current_setting('server_encoding') = 'UTF8',
      'The database stores ' || current_setting('server_encoding') || '.',
      'Create the database with ENCODING ''UTF8'' and migrate it.'),
    ('writes', NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off',
      CASE
        WHEN pg_is_in_recovery() THEN 'The database is a standby.'
        WHEN current_setting('default_transaction_read_only') = 'on'
          THEN 'The database is read-only.'
        ELSE 'The database accepts writes.' END,
      'Set DATABASE_URL to the primary, and RESET default_transaction_read_only'
        || ' of the database and the role.'),
    ('durability', off.names IS NULL,
      coalesce(off.names || ' off: a crash loses acknowledged requests.',
        'What is acknowledged is on disk.'),
      'Switch it on.')) AS checks (name, is_well, found, advice)`;

const CONNECTIONS = `SELECT least(
    current_setting('max_connections')::integer
      - current_setting('superuser_reserved_connections')::integer
      - coalesce(current_setting('reserved_connections', true)::integer, 0),
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS room,
  (SELECT count(*)::integer FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name NOT LIKE 'tillgate%') AS others`;

export async function server(client: Client): Promise<Finding[]> {
  return (await client.query<Finding>(SERVER)).rows;
}

export async function schema(client: Client): Promise<Finding> {
  const known = MIGRATIONS.map(({ name }) => name);
  const applied = await appliedMigrations(client);
  const old = oldVersionOf(applied);
  if (old !== undefined) return fail('schema', old.found, old.advice);
  const pending = known.filter((name) => !applied.includes(name));
  if (pending.length > 0) {
    const missing = `${pending.join(', ')} ${pending.length > 1 ? 'are' : 'is'} missing`;
    const found = `The schema is behind version ${VERSION}: ${missing}.`;
    return fail('schema', found, 'Run `node dist/bundle/cli.js migrate`.');
  }
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length === 0) return ok('schema', `The schema is that of version ${VERSION}.`);
  const advice =
    'Upgrade this service: it runs on a schema that is one version ahead, and on no later one ' +
    'for certain.';
  return warn('schema', `A newer version has migrated the schema: ${newer.join(', ')}.`, advice);
}

async function appliedMigrations(client: Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(
      'SELECT name FROM migrations ORDER BY id',
    );
    return rows.map(({ name }) => name);
  } catch (error) {
    if (sqlState(error) === '42P01') return [];
    throw error;
  }
}

/**
 * Checks that there are enough connections for all processes of all machines while each machine
 * replaces one process.
 */
export async function capacity(client: Client, config: Config, machines: number): Promise<Finding> {
  const { rows } = await client.query<{ room: number; others: number }>(CONNECTIONS);
  const [{ room, others }] = rows as [(typeof rows)[number]];
  const processes = config.webConcurrency === 1 ? 1 : config.webConcurrency + 1;
  const needed = machines * processes * (config.databasePoolSize + LISTENERS);
  const found =
    `${needed} connections are needed (machines × processes × (DATABASE_POOL_SIZE + 1)), ` +
    `${room} are to be had.`;
  const advice =
    'Raise max_connections (or the limit of the role or database), or lower DATABASE_POOL_SIZE.';
  if (needed > room) return fail('connections', found, advice);
  if (needed + others + SPARE <= room) return ok('connections', found);
  return warn('connections', `${found} Other programs hold ${others}.`, advice);
}

export async function pooler(client: Client, connect: () => Promise<Client>): Promise<Finding> {
  try {
    await runElsewhere(client, connect);
    return ok('pooler', 'A pooler stands before PostgreSQL and keeps prepared statements.');
  } catch (error) {
    const advice =
      'Use PgBouncer 1.21 or newer with max_prepared_statements = 200, and at least two server ' +
      'connections.';
    return fail(
      'pooler',
      `Prepared statements fail through the pooler: ${(error as Error).message}.`,
      advice,
    );
  }
}

export async function timeLimits(client: Client): Promise<Finding> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM ${SETTINGS} WHERE current_setting(name) <> value`,
  );
  if (rows.length === 0)
    return ok('time limits', 'Connections of the pooler have their time limits.');
  const advice =
    'Run `node dist/bundle/cli.js migrate`: it sets them for the role, so that each ' +
    'server connection has them.';
  const missing = rows.map(({ name }) => name).join(', ');
  return warn('time limits', `Connections of the pooler lack settings: ${missing}.`, advice);
}

/**
 * Tells which keys decrypt the stored secrets. Stored responses are not checked, because they
 * expire.
 */
export async function secrets(client: Client, config: Config): Promise<Finding> {
  const { rows } = await client.query<{ key: Buffer }>(STORED_KEY.text);
  const encryption = new Encryption(rows[0]?.key ?? Buffer.alloc(0), config);
  const read: Look = async ({ text }, values) => (await client.query(text, [...values])).rows;
  const found = { current: 0, older: 0, unreadable: 0 };
  for (const column of encryptedColumns().filter(({ expires }) => !expires)) {
    for await (const { sealed } of valuesIn(column, read)) found[encryption.stateOf(sealed)] += 1;
  }
  const { current, older, unreadable } = found;
  if (unreadable > 0) {
    const advice =
      'Set the key that they were stored under as ENCRYPTION_KEY, or among DECRYPTION_KEYS.';
    return fail('secrets', `No key reads ${unreadable} stored secrets.`, advice);
  }
  if (older === 0) return ok('secrets', `The current key reads all ${current} stored secrets.`);
  const advice =
    'Run `node dist/bundle/cli.js reencrypt`, and only then remove a key from ' +
    'DECRYPTION_KEYS.';
  return warn(
    'secrets',
    `${older} of ${older + current} stored secrets are under an older key.`,
    advice,
  );
}

export async function clocks(client: Client, clock: Clock): Promise<Finding> {
  const before = clock.now();
  const { rows } = await client.query<{ at: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
  );
  const skew = Math.round((before + clock.now()) / 2 - (rows[0]?.at ?? Number.NaN));
  const direction = skew < 0 ? 'behind' : 'ahead of';
  const found = `This machine's clock is ${Math.abs(skew)} ms ${direction} PostgreSQL's.`;
  if (Math.abs(skew) < SKEW_WARN_MS) return ok('clock', found);
  const said = Math.abs(skew) < SKEW_FAIL_MS ? warn : fail;
  return said('clock', found, 'Run NTP on both machines: what ends, ends by either clock.');
}
