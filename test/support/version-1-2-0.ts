/**
 * A database as 1.2.0 left it (test/fixtures): two organizations, in both modes, with all that the
 * service does.
 */
import { readFileSync } from 'node:fs';
import { createDatabase, withClient } from './postgres.js';

const SCHEMA = readFileSync('test/fixtures/schema-1.2.0.sql', 'utf8');
const ROWS = readFileSync('test/fixtures/rows-1.2.0.sql', 'utf8');

/** The rows of version 1.2.0 have these IDs and keys. No other database has such keys. */
export const STORY = {
  organization: 'org_01m8grrenae06s4c9mpe49p3xa',
  key: 'sk_test_S9CkHE7RQJbnyvUPdinZAkquTVC7Rl2p1B0SXX',
  ledgerKey: 'lk_test_sL75qPryOa3xAOO9Zygr0tqzVJl86MXH2qnFrz',
  /** It is complete. */
  session: 'cs_test_01m8grtdg2e9vtfrefqtpmtnwa',
  payment: 'pay_test_01m8grtdk0e0s9phqhaytf6s62',
  /** It is approved, and nobody has claimed it. */
  refund: 're_test_01m8grteb1ebv9p4x40e243594',
  /** A session was created by this request. */
  idempotencyKey: 'replayed',
  body: {
    currency: 'usd',
    line_items: [
      {
        quantity: 2,
        price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'Book' } },
      },
    ],
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    metadata: { reference: 'replayed' },
  },
};

export async function createDatabaseOf120({ withRows = true } = {}) {
  const database = await createDatabase({ empty: true });
  await withClient(database.url, async (client) => {
    await client.query(SCHEMA);
    if (withRows) await client.query(ROWS);
  });
  return database;
}
