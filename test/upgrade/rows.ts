/** Makes a database large. */
import { withClient } from '../support/postgres.js';

/** Adds rows like those of the first orders, each with IDs of its own. */
export async function multiply(url: string, count: number): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`SET statement_timeout = 0; CREATE TEMPORARY TABLE made AS
      SELECT uuidv7() AS session, uuidv7() AS event, uuidv7() AS payment, uuidv7() AS refund FROM generate_series(1, ${count})`);
    for (const [table, own] of [
      [
        'checkout_sessions',
        `'id', session, 'status', 'open', 'payment_status', 'unpaid', 'closed_at', null`,
      ],
      ['events', `'id', event, 'object_id', session`],
      [
        'payments',
        `'id', payment, 'amount_refunded', 0, 'amount_pending_refund', 0, 'amount_on_hold', 0, 'checkout_session_id', null`,
      ],
      [
        'refunds',
        `'id', refund, 'payment_id', payment, 'status', 'canceled', 'claim_expires_at', null`,
      ],
    ]) {
      await client.query(`INSERT INTO ${table}
        SELECT copy.* FROM made, (SELECT to_jsonb(${table}) AS one FROM ${table} ORDER BY id LIMIT 1),
          jsonb_populate_record(NULL::${table}, one || jsonb_build_object(${own})) AS copy`);
    }
    await client.query('ANALYZE');
  });
}
