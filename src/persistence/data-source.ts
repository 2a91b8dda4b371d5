import type { Socket } from 'node:net';
import type { Client, PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import * as steps from '../../migrations/index.js';
import { PLAN_CACHE_MODE } from './citus/citus.js';
import { DatabaseFault } from './faults.js';

/**
 * The settings of each connection. Those that wait for a lock hold a connection, so they wait half a second at most. A
 * process that hangs in a transaction would keep its locks.
 */
export const SETTINGS = `(VALUES ('lock_timeout', '500ms'), ('statement_timeout', '5s'),
  ('idle_in_transaction_session_timeout', '10s'), ('plan_cache_mode', ${PLAN_CACHE_MODE})
  ) AS setting (name, value)`;

/** Needed if the role lacks the settings. A query, because PgBouncer refuses start-up parameters. */
const SET_LIMITS = `SELECT set_config(name, value, false) FROM ${SETTINGS}`;
/** For migrations, which may take long. Not behind a pooler, whose next client would inherit it. */
const LIFT_LIMITS = `SELECT set_config(name, '0', false) FROM ${SETTINGS}
  WHERE pg_backend_pid() = $1 AND name LIKE '%_timeout'`;
/** Longer than any statement may take. After this long without a byte, the network or the server is down. */
const SILENCE_MS = 8_000;
const CONNECT_TIMEOUT_MS = 4_000;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Whether queries have the time limits of requests. An operator's command may take longer. */
  readonly timeLimits: boolean;
  readonly records: NonNullable<DataSourceOptions['entities']>;
}

export function createDataSource({
  url,
  poolSize,
  records,
  timeLimits,
}: DatabaseOptions): DataSource {
  return new DataSource({
    ...baseOptions(url),
    entities: records,
    poolSize,
    extra: {
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      idleTimeoutMillis: 30_000,
      onConnect: timeLimits ? limit : survive,
    },
  });
}

const numberOf = ({ name }: { name: string }): number => Number(name.slice(-13));

/** In the order in which they run, which is that of the numbers at the end of their names. */
export const MIGRATIONS = Object.values(steps).sort(
  (one, other) => numberOf(one) - numberOf(other),
);

/** Two connections without time limits: one holds the lock of migrations, the other runs them. */
export function createMigrationDataSource(url: string): DataSource {
  const extra = {
    onConnect: (client: PoolClient) => client.query(LIFT_LIMITS, [announcedPid(client)]),
  };
  return new DataSource({ ...baseOptions(url), migrations: [...MIGRATIONS], poolSize: 2, extra });
}

/** The process ID that was sent when the connection opened. A pooler does not send that of PostgreSQL's process. */
export function announcedPid(client: Client | PoolClient): number {
  return (client as unknown as { processID: number }).processID;
}

function baseOptions(url: string) {
  return {
    type: 'postgres',
    url,
    applicationName: 'tillgate',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    installExtensions: false,
    synchronize: false,
    // Every bigint here is an amount or a count, bounded far below 2^53.
    parseInt8: true,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
  } as const;
}

/** Without a listener, an error of a connection in use would end the process. */
function survive(client: PoolClient): void {
  client.on('error', () => undefined);
}

/** Also closes a connection that owes an answer and is silent. pg's `query_timeout` would return it to the pool. */
async function limit(client: PoolClient): Promise<void> {
  survive(client);
  const silent = client as unknown as { readyForQuery: boolean; connection: { stream: Socket } };
  const { stream } = silent.connection;
  // Before the first query, which a pooler may keep waiting.
  stream.setTimeout(SILENCE_MS, () => {
    if (!silent.readyForQuery)
      stream.destroy(new DatabaseFault('PostgreSQL did not answer in time.'));
  });
  await client.query(SET_LIMITS);
}
