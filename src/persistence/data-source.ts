import type { Socket } from 'node:net';
import type { Client, PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import * as steps from '../../migrations/index.js';
import { PLAN_CACHE_MODE } from './citus/citus.js';
import { DatabaseFault } from './faults.js';

/**
 * Each connection has these settings. A statement that waits for a lock keeps a connection busy, so
 * it waits half a second at most. A process that hangs in a transaction would keep its locks, so
 * its transaction ends. A list reads an index in its order and stops after a page, but a bitmap
 * finds all rows first: for an organization that has far more rows than the others, the planner
 * would choose it.
 */
export const SETTINGS = `(VALUES ('lock_timeout', '500ms'), ('statement_timeout', '5s'),
  ('idle_in_transaction_session_timeout', '10s'), ('plan_cache_mode', ${PLAN_CACHE_MODE}),
  ('enable_bitmapscan', 'off')
  ) AS setting (name, value)`;

/**
 * This query sets the limits if the role does not have them. It is a query, because PgBouncer
 * refuses start-up parameters.
 */
const SET_LIMITS = `SELECT set_config(name, value, false) FROM ${SETTINGS}`;
/**
 * Migrations may take long, so this query lifts the limits. It does nothing behind a pooler, whose
 * next client would inherit the lifted limits.
 */
const LIFT_LIMITS = `SELECT set_config(name, '0', false) FROM ${SETTINGS}
  WHERE pg_backend_pid() = $1 AND name LIKE '%_timeout'`;
/**
 * No statement may take this long. If no byte arrives for so long, the network or the server is
 * down.
 */
const SILENCE_MS = 8_000;
const CONNECT_TIMEOUT_MS = 4_000;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /**
   * Queries have the time limits of requests if this is true. An operator's command may take
   * longer.
   */
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

/** Migrations run in this order, which is the order of the numbers at the end of their names. */
export const MIGRATIONS = Object.values(steps).sort(
  (one, other) => numberOf(one) - numberOf(other),
);

/**
 * Makes two connections without time limits: one holds the lock of migrations, the other runs them.
 */
export function createMigrationDataSource(url: string): DataSource {
  const extra = {
    onConnect: (client: PoolClient) => client.query(LIFT_LIMITS, [announcedPid(client)]),
  };
  return new DataSource({
    ...baseOptions(url),
    // Nobody takes it for a server.
    applicationName: 'tillgate migrate',
    migrations: [...MIGRATIONS],
    poolSize: 2,
    extra,
  });
}

/**
 * Returns the process ID that was sent when the connection opened. A pooler sends another one than
 * that of PostgreSQL's process.
 */
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

/** An error of a connection in use would end the process if nobody listened to it. */
function survive(client: PoolClient): void {
  client.on('error', () => undefined);
}

/**
 * Also closes a connection that owes an answer and is silent. pg's `query_timeout` would return
 * such a connection to the pool.
 */
async function limit(client: PoolClient): Promise<void> {
  survive(client);
  const silent = client as unknown as { readyForQuery: boolean; connection: { stream: Socket } };
  const { stream } = silent.connection;
  // The timer is set before the first query, because a pooler may keep that one waiting.
  stream.setTimeout(SILENCE_MS, () => {
    if (!silent.readyForQuery)
      stream.destroy(new DatabaseFault('PostgreSQL did not answer in time.'));
  });
  await client.query(SET_LIMITS);
}
