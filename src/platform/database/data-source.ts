import type { Socket } from 'node:net';
import type { Client, PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import * as steps from '../../../migrations/index.js';
import { DatabaseFault } from './faults.js';
import { scopedClient } from './organization-scope.js';

/**
 * What each connection of the service has set. A lock is waited for at most half a second: the callers behind it keep their
 * share of the pool. A process that hangs in a transaction would keep its locks for ever. PostgreSQL would plan the first
 * five runs of a statement for their values; every statement here has one good plan, and Citus needs the values.
 */
export const SETTINGS = `(VALUES ('lock_timeout', '500ms'), ('statement_timeout', '5s'),
  ('idle_in_transaction_session_timeout', '10s'), ('plan_cache_mode',
    CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END)
  ) AS setting (name, value)`;

/** The role may not have them. Sent as a query, not as start-up parameters: PgBouncer refuses those. */
const SET_LIMITS = `SELECT set_config(name, value, false) FROM ${SETTINGS}`;
/** For migrations, which may take long. Not behind a pooler, where the next client would find it so. */
const LIFT_LIMITS = `SELECT set_config(name, '0', false) FROM ${SETTINGS}
  WHERE pg_backend_pid() = $1 AND name LIKE '%_timeout'`;
/** Longer than any statement may take: without a byte for this long the network or the server is gone. */
const SILENCE_MS = 8_000;
const CONNECT_TIMEOUT_MS = 4_000;

export type Records = NonNullable<DataSourceOptions['entities']>;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Whether a query is given up after seconds, as a request's must be. */
  readonly timeLimits: boolean;
  readonly records: Records;
  readonly gatherReads: boolean;
}

export function createDataSource({
  url,
  poolSize,
  records,
  timeLimits,
}: Omit<DatabaseOptions, 'gatherReads'>): DataSource {
  return new DataSource({
    ...baseOptions(url),
    entities: records,
    poolSize,
    extra: {
      Client: scopedClient(records),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      idleTimeoutMillis: 30_000,
      onConnect: timeLimits ? limit : survive,
    },
  });
}

const numberOf = ({ name }: { name: string }): number => Number(name.slice(-13));

/** In the order in which they run: the number at the end of a name counts up. */
export const MIGRATIONS = Object.values(steps).sort((one, other) => numberOf(one) - numberOf(other));

/** Two connections without time limits, for what may take long: migrations hold one and work on the other. */
export function createMigrationDataSource(url: string, entities: Records = []): DataSource {
  const extra = { onConnect: (client: PoolClient) => client.query(LIFT_LIMITS, [greeter(client)]) };
  return new DataSource({ ...baseOptions(url), entities, migrations: [...MIGRATIONS], poolSize: 2, extra });
}

/** The number of the process that greeted. PostgreSQL's own greeting names its process; a pooler's names none. */
export function greeter(client: Client | PoolClient): number {
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

/** Without a listener, a connection that dies while it is in use would end the process. */
function survive(client: PoolClient): void {
  client.on('error', () => undefined);
}

async function limit(client: PoolClient): Promise<void> {
  survive(client);
  // Before the first query, which a pooler may keep waiting.
  destroyWhenSilent(client);
  await client.query(SET_LIMITS);
  // pg sets it when it has answered something.
  const { readyForQuery } = client as unknown as SilentClient;
  if (typeof readyForQuery !== 'boolean') throw new Error('pg no longer says whether a connection owes an answer.');
}

/** pg's `query_timeout` returns a dead connection to the pool; the socket's own timer ends it. */
function destroyWhenSilent(client: PoolClient): void {
  const { connection } = client as unknown as SilentClient;
  connection.stream.setTimeout(SILENCE_MS, () => {
    if (!(client as unknown as SilentClient).readyForQuery) {
      connection.stream.destroy(new DatabaseFault('PostgreSQL did not answer in time.'));
    }
  });
}

interface SilentClient {
  readonly readyForQuery: boolean | undefined;
  readonly connection: { stream: Socket };
}
