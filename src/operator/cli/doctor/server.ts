import type { Client } from 'pg';
import { MIGRATIONS } from '../../../persistence/data-source.js';
import type { Config } from '../../../platform/config.js';
import { VERSION } from '../../../platform/version.js';
import { type Finding, fail, ok, warn } from './finding.js';

const OLDEST_POSTGRES = 150_000;
/** Connections of a process in addition to its pool: it listens on one. */
const LISTENERS = 1;
const SPARE = 5;

const FACTS = `SELECT pg_backend_pid() AS pid, current_setting('server_version') AS version,
  current_setting('server_version_num')::integer AS "versionNumber",
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
  current_setting('fsync')::boolean AS fsync, current_setting('full_page_writes')::boolean AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    - coalesce(current_setting('reserved_connections', true)::integer, 0) AS connections,
  (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user) AS "connectionsOfRole",
  (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()) AS "connectionsOfDatabase",
  (SELECT count(*)::integer FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name NOT LIKE 'tillgate%') AS others,
  current_setting('statement_timeout') <> '0' AS "hasTimeLimit"`;

const APPLIED = `SELECT coalesce(array_agg(name ORDER BY id), '{}') AS names FROM migrations`;

export interface Facts {
  readonly pid: number;
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly synchronousCommit: string;
  readonly connections: number;
  readonly connectionsOfRole: number | null;
  readonly connectionsOfDatabase: number | null;
  readonly others: number;
  readonly hasTimeLimit: boolean;
  readonly applied: readonly string[];
}

export async function factsOf(client: Client): Promise<Facts> {
  const { rows } = await client.query<Omit<Facts, 'applied'>>(FACTS);
  const [{ exists } = { exists: false }] = (
    await client.query<{ exists: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  ).rows;
  const applied = exists ? (await client.query<{ names: string[] }>(APPLIED)).rows[0]?.names : undefined;
  return { ...(rows[0] as Omit<Facts, 'applied'>), applied: applied ?? [] };
}

export function version({ version, versionNumber }: Facts): Finding {
  const found = `PostgreSQL is ${version}.`;
  if (versionNumber >= OLDEST_POSTGRES) return ok('postgresql', found);
  return fail('postgresql', found, 'Upgrade it to 15 or newer.');
}

export function encoding({ encoding }: Facts): Finding {
  const found = `The database stores ${encoding}.`;
  if (encoding === 'UTF8') return ok('encoding', found);
  return fail('encoding', found, `Create the database with ENCODING 'UTF8' and migrate it.`);
}

export function writable({ isStandby, isReadOnly }: Facts): Finding {
  if (isStandby)
    return fail('writes', 'The database is a standby.', 'Set DATABASE_URL to the primary, or promote this one.');
  const advice = 'ALTER DATABASE … or ALTER ROLE … RESET default_transaction_read_only, whichever sets it.';
  if (isReadOnly) return fail('writes', 'The database is read-only.', advice);
  return ok('writes', 'The database accepts writes.');
}

export function schema({ applied }: Facts): Finding {
  const known = MIGRATIONS.map(({ name }) => name);
  const pending = known.filter((name) => !applied.includes(name));
  if (pending.length > 0) {
    const found = `The schema is behind version ${VERSION}: ${pending.join(', ')} ${pending.length > 1 ? 'are' : 'is'} missing.`;
    return fail('schema', found, 'Run `node dist/src/operator/cli/cli.js migrate`.');
  }
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length === 0) return ok('schema', `The schema is that of version ${VERSION}.`);
  const advice =
    'Upgrade this service: it runs on a schema that is one version ahead, and on no later one for certain.';
  return warn('schema', `A newer version has migrated the schema: ${newer.join(', ')}.`, advice);
}

export function durability({ fsync, fullPageWrites, synchronousCommit }: Facts): Finding {
  const off = Object.entries({
    fsync,
    full_page_writes: fullPageWrites,
    synchronous_commit: synchronousCommit !== 'off',
  })
    .filter(([, isOn]) => !isOn)
    .map(([setting]) => setting);
  if (off.length === 0) return ok('durability', 'What is acknowledged is on disk.');
  return fail('durability', `${off.join(' and ')} off: a crash loses acknowledged requests.`, 'Switch it on.');
}

/** Whether there are enough connections for all processes of all machines while each machine replaces one process. */
export function capacity(facts: Facts, { databasePoolSize, webConcurrency }: Config, machines: number): Finding {
  const processes = webConcurrency === 1 ? 1 : webConcurrency + 1;
  const needed = machines * processes * (databasePoolSize + LISTENERS);
  const limits = [facts.connections, facts.connectionsOfRole, facts.connectionsOfDatabase];
  const room = Math.min(...limits.filter((limit) => limit !== null));
  const found = `${needed} connections are needed (machines × processes × (DATABASE_POOL_SIZE + 1)), ${room} are to be had.`;
  const advice = 'Raise max_connections (or the limit of the role or database), or lower DATABASE_POOL_SIZE.';
  if (needed > room) return fail('connections', found, advice);
  if (needed + facts.others + SPARE <= room) return ok('connections', found);
  return warn('connections', `${found} Other programs hold ${facts.others}.`, advice);
}
