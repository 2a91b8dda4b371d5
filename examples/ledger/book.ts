/**
 * The small ledger keeps its book in a PostgreSQL database. The rules of the book are in book.sql.
 */
import { readFileSync } from 'node:fs';
import { Client, Pool } from 'pg';
import type { LedgerRefund } from '../../client/src/ledger/index.js';

/** Says what is known of the payout of a refund. */
export interface Payout {
  readonly status: 'in_flight' | 'paid' | 'refused' | 'postponed' | 'returned';
  readonly provider_reference: string | null;
  readonly reason: string | null;
}

/**
 * Holds the payout as the book has it, and the highest number of a claim: a worker with an older
 * claim was overtaken.
 */
export type Entry = Payout & { readonly claim: number };

/** `freeze` holds a lock no longer than this, and nobody waits for a lock any longer. */
const PATIENCE = '-c lock_timeout=20s -c idle_in_transaction_session_timeout=60s';
const NO_DATABASE = '3D000';
const CAPTURE =
  'INSERT INTO payments (id, currency, amount) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
const BEGIN = `INSERT INTO refunds AS begun (id, payment, currency, amount, claim) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET status = 'in_flight' WHERE begun.status = 'postponed' AND begun.claim <= excluded.claim`;
const RECORD = `INSERT INTO refunds AS known (id, payment, currency, amount, claim, status, provider_reference)
  VALUES ($1, $2, $3, $4, 0, 'paid', $5) ON CONFLICT (id) DO UPDATE
  SET status = 'paid', provider_reference = excluded.provider_reference WHERE known.status = 'in_flight'`;
const LOCK = 'UPDATE refunds SET claim = greatest(claim, $2) WHERE id = $1 RETURNING *';
const CHANGE =
  'UPDATE refunds SET status = $2, provider_reference = $3, reason = $4 WHERE id = $1 RETURNING *';

export class Book {
  private constructor(private readonly pool: Pool) {
    // A query on a lost connection fails, and the pool makes another connection.
    pool.on('error', () => undefined);
  }

  /** Makes the database and its tables if they are missing. */
  static async open(url: string): Promise<Book> {
    const pool = new Pool({ connectionString: url, options: PATIENCE });
    const rules = readFileSync(new URL('book.sql', import.meta.url), 'utf8');
    await pool.query(rules).catch(async (error) => {
      if (error.code !== NO_DATABASE) throw error;
      // Another ledger may make the database first.
      const server = new Client(Object.assign(new URL(url), { pathname: '/postgres' }).href);
      await server.connect();
      await server
        .query(`CREATE DATABASE ${server.escapeIdentifier(new URL(url).pathname.slice(1))}`)
        .catch(() => undefined);
      await server.end();
      await pool.query(rules);
    });
    return new Book(pool);
  }

  async capture({
    id,
    currency,
    amount,
  }: Pick<LedgerRefund, 'id' | 'currency' | 'amount'>): Promise<void> {
    await this.pool.query(CAPTURE, [id, currency, amount]);
  }

  /**
   * Puts the amount in flight, once for each refund, or returns the name of the rule that does not
   * allow it.
   */
  begin({ id, payment, currency, amount, claim }: LedgerRefund): Promise<string | undefined> {
    return this.allowed(this.pool.query(BEGIN, [id, payment, currency, amount, claim?.number]));
  }

  /**
   * Records that the money has left, whether or not it was in flight. It does so once for each
   * refund, or returns the name of the rule, as `begin` does.
   */
  record({
    id,
    payment,
    currency,
    amount,
    provider_reference,
  }: LedgerRefund): Promise<string | undefined> {
    return this.allowed(
      this.pool.query(RECORD, [id, payment, currency, amount, provider_reference]),
    );
  }

  private allowed(entered: Promise<unknown>): Promise<string | undefined> {
    return entered
      .then(() => undefined)
      .catch((error) => error.constraint ?? Promise.reject(error));
  }

  /**
   * Returns the entry of the book after a change that nobody else can make meanwhile, because the
   * entry is locked until then.
   */
  async change(
    id: string,
    claim: number,
    decide: (entry: Entry) => Promise<Payout | undefined> | undefined,
  ) {
    const connection = await this.pool.connect();
    const one = async (sql: string, values: unknown[] = []): Promise<Entry | undefined> =>
      (await connection.query(sql, values)).rows[0];
    try {
      await one('BEGIN');
      const entry = await one(LOCK, [id, claim]);
      const payout = entry && (await decide(entry));
      const changed =
        payout &&
        (await one(CHANGE, [id, payout.status, payout.provider_reference, payout.reason]));
      await one('COMMIT');
      connection.release();
      return changed ?? entry;
    } catch (error) {
      // PostgreSQL rolls back when the connection is closed.
      connection.release(true);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
