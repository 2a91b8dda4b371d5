/**
 * A holder is another client of the database, which keeps what a request needs until it lets it go.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { workers } from './citus.js';
import { until } from './processes.js';

export class Holder {
  private constructor(private readonly client: Client) {}

  static async connect(connectionString: string): Promise<Holder> {
    const client = new Client({ connectionString }).on('error', () => undefined);
    await client.connect();
    return new Holder(client);
  }

  /** Runs a statement in a transaction, and returns how many rows it took. */
  async hold(statement: string, values: readonly unknown[] = []): Promise<number | null> {
    await this.client.query('BEGIN');
    return (await this.client.query(statement, [...values])).rowCount;
  }

  /**
   * Holds an idempotency key as a request does that has not finished. A commit ends it with the
   * response that was stored before.
   */
  async holdKey(key: string): Promise<void> {
    await this.client.query(
      'DROP TABLE IF EXISTS held; CREATE TEMPORARY TABLE held (LIKE idempotency_keys)',
    );
    const taken = 'WITH taken AS (DELETE FROM idempotency_keys WHERE key = $1 RETURNING *)';
    await this.client.query(`${taken} INSERT INTO held SELECT * FROM taken`, [key]);
    await this.client.query('BEGIN');
    await this.client.query('INSERT INTO idempotency_keys SELECT * FROM held');
  }

  async holdTable(name: string): Promise<void> {
    await this.hold(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  }

  async release(): Promise<void> {
    await this.client.query('ROLLBACK');
  }

  async commit(): Promise<void> {
    await this.client.query('COMMIT');
  }

  async end(): Promise<void> {
    await this.client.end();
  }
}

/**
 * Returns the result of the work when another client changes a row for which it waits. The row is
 * let go when the work waits, or so much later.
 */
export async function overtaken<Result>(
  { databaseUrl, sql }: { readonly databaseUrl: string; readonly sql: Client },
  [change, ...values]: readonly [change: string, ...values: unknown[]],
  work: () => Promise<Result>,
  laterMs = 0,
): Promise<Result> {
  const holder = await Holder.connect(databaseUrl);
  await holder.hold(change, values);
  const result = work();
  await until(async () => (await waitingForLocks(sql)) > 0);
  await sleep(laterMs);
  await holder.commit();
  await holder.end();
  return result;
}

/**
 * Returns the number of statements that wait for a lock in the client's database, on any machine of
 * Citus.
 */
export async function waitingForLocks(sql: Client): Promise<number> {
  const activity = workers().length > 0 ? 'citus_stat_activity' : 'pg_stat_activity';
  const waiting = `SELECT FROM ${activity} WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await sql.query(waiting)).rowCount ?? 0;
}
