/**
 * Makes one resource of each kind by the service itself, so that the load multiplies rows as the
 * service writes them.
 */
import type { Client as Sql } from 'pg';
import { uuidOf } from '../../src/shared/id.js';
import type { Client } from './client.js';
import type { Tenants } from './drawn.js';

const line = (name: string, amount: number) => ({
  quantity: 2,
  price_data: {
    currency: 'usd',
    unit_amount: amount,
    product_data: { name, description: 'Organic cotton, medium' },
  },
});

export const NEW_SESSION = {
  currency: 'usd',
  line_items: [line('T-shirt, blue', 1299), line('Hooded sweater, grey', 4950)],
  success_url: 'https://shop.example/orders/thanks?session=1',
  cancel_url: 'https://shop.example/basket',
  customer_email: 'ada.lovelace@example.com',
  metadata: { order: 'A-1763700000-17', channel: 'web' },
};
const SESSION_TOTAL = 12_498;
export const REFUND_AMOUNT = 500;

/**
 * The load fills these tables. Tables with foreign keys come after the tables that they point to.
 */
export const LOADED_TABLES = [
  'checkout_sessions',
  'payments',
  'refunds',
  'events',
  'idempotency_keys',
  'webhook_deliveries',
  'webhook_attempts',
  'operator_events',
] as const;

/**
 * Leaves a temporary table model_<table> for each modelled table, and the tables themselves empty.
 */
export async function makeModels(sql: Sql, client: Client, tenants: Tenants): Promise<void> {
  const { big, ledgerKey } = tenants;
  const post = async (path: string, body: object, key: string = big.key): Promise<string> =>
    JSON.parse(String(await client.send({ path, key, body }))).id;
  const createSession = () => post('/v1/checkout_sessions', NEW_SESSION);

  await post(`/v1/checkout_sessions/${await createSession()}/expire`, {});
  const session = await createSession();
  const capture = {
    organization: big.organization,
    amount: SESSION_TOTAL,
    currency: 'usd',
    checkout_session: session,
  };
  const payment = await post('/ledger/v1/payments', capture, ledgerKey);
  const refund = () => post('/v1/refunds', { payment, amount: REFUND_AMOUNT });
  await post(`/ledger/v1/refunds/${await refund()}/succeed`, {}, ledgerKey);
  await post(`/ledger/v1/refunds/${await refund()}/fail`, {}, ledgerKey);
  await post(`/v1/refunds/${await refund()}/cancel`, {});

  await sql.query(`
    CREATE TEMP TABLE model_checkout_sessions AS
      SELECT * FROM checkout_sessions WHERE id = '${uuidOf(session)}';
    CREATE TEMP TABLE model_payments AS SELECT * FROM payments;
    CREATE TEMP TABLE model_refunds AS SELECT * FROM refunds LIMIT 1;
    CREATE TEMP TABLE model_events AS SELECT DISTINCT ON (type) * FROM events;
    CREATE TEMP TABLE model_operator_events AS
      SELECT * FROM operator_events WHERE type = 'api_key.created' LIMIT 1;
    CREATE TEMP TABLE model_idempotency_keys AS
      SELECT * FROM idempotency_keys WHERE operation LIKE '%/checkout_sessions' LIMIT 1;
    TRUNCATE ${LOADED_TABLES.join(', ')} CASCADE`);
}
