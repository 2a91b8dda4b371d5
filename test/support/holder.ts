/** Somebody else in the database, who keeps what a request needs until told to let go. */
import { Client } from 'pg';

export class Holder {
  private constructor(private readonly client: Client) {}

  static async connect(connectionString: string): Promise<Holder> {
    const client = new Client({ connectionString });
    await client.connect();
    return new Holder(client);
  }

  /** As a request does that has this key and has not finished: a commit ends it with the response that was stored before. */
  async holdKey(key: string): Promise<void> {
    await this.client.query('DROP TABLE IF EXISTS held; CREATE TEMPORARY TABLE held (LIKE idempotency_keys)');
    const taken = 'WITH taken AS (DELETE FROM idempotency_keys WHERE key = $1 RETURNING *)';
    await this.client.query(`${taken} INSERT INTO held SELECT * FROM taken`, [key]);
    await this.client.query('BEGIN');
    await this.client.query('INSERT INTO idempotency_keys SELECT * FROM held');
  }

  async holdTable(name: string): Promise<void> {
    await this.client.query('BEGIN');
    await this.client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
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
