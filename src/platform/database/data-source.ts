import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import * as steps from '../../../migrations/index.js';
import { DatabaseFault } from './faults.js';
import { scopedClient } from './organization-scope.js';

/** A lock is waited for at most this long: the callers behind it keep their share of the pool. */
const LOCK_TIMEOUT_MS = 500;
const STATEMENT_TIMEOUT_MS = 5_000;
/** A process that hangs in a transaction would keep its locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/**
 * PostgreSQL would plan the first five runs of a statement for their values; every statement here has one good plan. Citus
 * cannot plan for a cluster without the values.
 */
const PLANNED_ONCE = `SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
  WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`;
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
  return new DataSource({ ...baseOptions(url), entities, migrations: [...MIGRATIONS], poolSize: 2 });
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
  // Sent as a query, not as start-up parameters: PgBouncer refuses those.
  await client.query(
    `SET lock_timeout = ${LOCK_TIMEOUT_MS}; SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
     SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}; ${PLANNED_ONCE}`,
  );
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
