import { Client } from 'pg';
import { announcedPid } from '../../persistence/data-source.js';
import { sqlState } from '../../persistence/faults.js';

const TIMEOUT_MS = 4_000;
const PREPARED = { name: 'pooler.prepared', text: 'SELECT 1' };
/**
 * One look is not enough: behind a pooler with many server connections, the second client may get a
 * connection that the first client has not used.
 */
const LOOKS = 3;
/**
 * These SQLSTATEs say that the statement does not exist, or that another client's statement has its
 * name.
 */
const LOST = /^(26000|42P05)$/;

export async function connected(url: string, applicationName: string): Promise<Client> {
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    ...limits,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function isPooled(url: string): Promise<boolean> {
  const client = await connected(url, 'tillgate migrate');
  return hasOtherProcess(client).finally(() => client.end());
}

/**
 * Tells whether the process of PostgreSQL that answers is another than the one that was announced.
 * A pooler stands before PostgreSQL then.
 */
export async function hasOtherProcess(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== announcedPid(client);
}

/**
 * Throws with advice if a pooler switches server connections without preparing the client's
 * statements there.
 */
export async function assertPreparedStatements(url: string): Promise<void> {
  const connect = () => connected(url, 'tillgate start');
  const client = await connect();
  try {
    if (await hasOtherProcess(client)) await runElsewhere(client, connect);
  } catch (error) {
    if (!LOST.test(sqlState(error) ?? '')) return;
    throw new Error(
      'The pooler before PostgreSQL loses prepared statements: use PgBouncer 1.21 or newer with ' +
        'max_prepared_statements = 200.',
    );
  } finally {
    await client.end();
  }
}

/**
 * Prepares a statement on one server connection, and runs it on another while a second client holds
 * the first one.
 */
export async function runElsewhere(client: Client, connect: () => Promise<Client>): Promise<void> {
  await client.query(PREPARED);
  for (let look = 0; look < LOOKS; look++) {
    const other = await connect();
    try {
      await other.query('BEGIN');
      await client.query(PREPARED);
      await other.query('COMMIT');
    } finally {
      await other.end();
    }
  }
}
