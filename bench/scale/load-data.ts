/**
 * Fills the tables inside PostgreSQL in the order of time, with the indexes in place, so that they
 * are as large as after a year.
 */
import type { Client as Sql } from 'pg';
import { uuidOf } from '../../src/shared/id.js';
import { drawn, FUNCTIONS, type Step, type Tenants } from './drawn.js';
import { LOADED_TABLES, REFUND_AMOUNT } from './models.js';

const CHUNK = 50_000;

/**
 * These settings hold only while rows are loaded. The measurements use the settings of the service.
 */
const LOAD_SETTINGS = {
  max_wal_size: '4GB',
  checkpoint_timeout: '30min',
  autovacuum: 'off',
} as const;

const at = (milliseconds: string) => `to_timestamp(${milliseconds} / 1000.0)`;
const id = (instant: string, purpose: number) => `pg_temp.uuid_at(${instant}, number, ${purpose})`;

interface Copies {
  readonly table: (typeof LOADED_TABLES)[number];
  /**
   * Columns that differ from the model's, as SQL over the columns of `drawn` and `made` (the ID of
   * its organization).
   */
  readonly different: Readonly<Record<string, string>>;
  readonly where: string;
}

const organization_id = 'made.organization_id';

/**
 * Makes events whose positions and IDs have the order of time, as those of one machine nearly have.
 */
function eventsOf(
  type: string,
  object: string,
  instant: string,
  purpose: number,
  where: string,
): Copies {
  const different = {
    organization_id,
    id: id(instant, purpose),
    object_id: object,
    position: instant,
  };
  return { table: 'events', different, where: `has_events AND ${where} AND model.type = ${type}` };
}

const COPIES: readonly Copies[] = [
  {
    table: 'checkout_sessions',
    different: {
      organization_id,
      id: 'session_id',
      status: 'made.status::session_status',
      payment_status: `(CASE made.status WHEN 'complete' THEN 'paid' ELSE 'unpaid' END)::payment_status`,
      expires_at: at('made.expires_at'),
      closed_at: `CASE made.status WHEN 'complete' THEN ${at('paid_at')} END`,
      metadata: `json_build_object('reference', 'order-' || number)`,
    },
    where: 'true',
  },
  {
    table: 'payments',
    different: {
      organization_id,
      id: 'payment_id',
      checkout_session_id: 'session_id',
      reference: `'ledger-' || number`,
      amount_refunded: `CASE WHEN is_refunded AND refund_status = 'succeeded' THEN ${REFUND_AMOUNT} ELSE 0 END`,
      amount_pending_refund: `CASE WHEN is_refunded AND refund_status = 'pending' THEN ${REFUND_AMOUNT} ELSE 0 END`,
    },
    where: 'is_paid',
  },
  {
    table: 'refunds',
    different: {
      organization_id,
      id: 'refund_id',
      payment_id: 'made.payment_id',
      status: 'refund_status::refund_status',
    },
    where: 'is_refunded',
  },
  eventsOf(`'checkout.session.created'`, 'session_id', 'made.instant', 40, 'true'),
  eventsOf(`'checkout.session.completed'`, 'session_id', 'paid_at', 50, 'is_paid'),
  eventsOf(
    `'checkout.session.expired'`,
    'session_id',
    'made.expires_at',
    50,
    `made.status = 'expired'`,
  ),
  eventsOf(`'refund.created'`, 'refund_id', 'refunded_at', 60, 'is_refunded'),
  eventsOf(`'refund.' || refund_status`, 'refund_id', 'refund_settled_at', 70, 'is_refunded'),
  {
    table: 'operator_events',
    different: {
      organization_id,
      id: id('made.instant', 80),
      position: 'made.instant',
      type: `CASE WHEN number % 100 = 0 THEN 'api_key.revoked' ELSE model.type END`,
    },
    where: 'number % 5 = 0',
  },
  {
    table: 'idempotency_keys',
    different: {
      organization_id,
      key: 'gen_random_uuid()::text',
      expires_at: at('made.expires_at'),
      resource_id: 'session_id',
    },
    where: 'is_recent',
  },
];

/**
 * One in four sessions had an event to deliver, and one in fifty of these still waits for its next
 * attempt, tomorrow.
 */
const DELIVERIES = `
  INSERT INTO webhook_deliveries
    (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at, outcome)
  SELECT organization_id, 'test', ${id('instant', 40)}, 'https://shop.example/webhooks', 'shop.example', 1,
    CASE WHEN number % 50 = 0 THEN now() + interval '1 day' END,
    CASE WHEN number % 50 <> 0 THEN 'delivered'::delivery_outcome END
  FROM made WHERE has_events AND pg_temp.draw(number, 6) % 4 = 0`;
const ATTEMPTS = `
  INSERT INTO webhook_attempts
    (organization_id, mode, event_id, attempt, attempted_at, status_code, duration_ms)
  SELECT organization_id, 'test', ${id('instant', 40)}, 1, ${at('instant')}, 200, 180
  FROM made WHERE has_events AND pg_temp.draw(number, 6) % 4 = 0`;

/** Prepares the load. It must be called before the load, on the same connection. */
export async function prepareLoading(
  sql: Sql,
  { big, small }: Tenants,
  { organizations }: Step,
): Promise<void> {
  const [first, second] = [big, small].map(({ organization }) => uuidOf(organization));
  await sql.query(`SET synchronous_commit = off; SET session_replication_role = replica; ${FUNCTIONS};
    CREATE TEMP TABLE organization AS SELECT '${first}'::uuid AS id, 1 AS place UNION ALL SELECT '${second}', 2
      UNION ALL SELECT gen_random_uuid(), generate_series(3, ${organizations});
    INSERT INTO organizations SELECT (jsonb_populate_record(model, jsonb_build_object('id', organization.id))).*
      FROM organizations model CROSS JOIN organization WHERE model.id = '${first}' AND place > 2`);
}

export async function load(sql: Sql, step: Step, progress: (done: number) => void): Promise<void> {
  for (const [name, value] of Object.entries(LOAD_SETTINGS))
    await sql.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await sql.query('SELECT pg_reload_conf()');
  const inserts: string[] = [];
  for (const copies of COPIES) inserts.push(await insertOf(sql, copies));
  for (let first = 1; first <= step.rows; first += CHUNK) {
    const last = Math.min(step.rows, first + CHUNK - 1);
    await sql.query(`
      CREATE TEMP TABLE made AS SELECT drawn.*, organization.id AS organization_id
        FROM (${drawn(step, `generate_series(${first}::bigint, ${last})`)}) AS drawn JOIN organization ON place = tenant + 1 ORDER BY number`);
    for (const insert of inserts) await sql.query(insert);
    await sql.query(DELIVERIES);
    await sql.query(ATTEMPTS);
    await sql.query('DROP TABLE made');
    progress(last);
  }
  for (const table of ['events', 'operator_events'])
    await sql.query(`SELECT setval('${table}_position_seq', $1)`, [step.end]);
  await settle(sql);
}

/** Leaves the tables as PostgreSQL's own upkeep would leave them in time. */
async function settle(sql: Sql): Promise<void> {
  await sql.query('ALTER SYSTEM RESET ALL');
  await sql.query('SELECT pg_reload_conf()');
  await sql.query('VACUUM (ANALYZE)');
  await sql.query('CHECKPOINT');
}

async function insertOf(sql: Sql, { table, different, where }: Copies): Promise<string> {
  const { rows } = await sql.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
     ORDER BY attnum`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const stranger = Object.keys(different).find((name) => !columns.includes(name));
  if (stranger) throw new Error(`${table} has no column ${stranger}.`);
  const values = columns.map((name) => different[name] ?? `model.${name}`);
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
    FROM made CROSS JOIN model_${table} AS model WHERE ${where} ORDER BY number`;
}
