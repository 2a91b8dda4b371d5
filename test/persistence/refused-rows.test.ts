/**
 * Random rows go into the schema of 1.2.0 and into this one: what one refuses, the other refuses
 * too. Each rule of 1.2.0 has refused at least one of them.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { type Catalog, readCatalog } from '../support/catalog.js';
import { createDatabase } from '../support/postgres.js';
import { createDatabaseOf120 } from '../support/version-1-2-0.js';

type Row = Readonly<Record<string, unknown>>;

interface Outcome {
  readonly isAccepted: boolean;
  /**
   * The name of the rule that refused the row. A wrong member of an enum is refused without one.
   */
  readonly rule: string;
}

/** Rows of each table that the others are made from. */
const MOST_BASES = 12;
const RANDOM_ROWS = 1_500;
const BATCH = 500;

/** These rules are gone with their columns, which nothing of 1.2.0 read. */
const GONE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  organizations: ['residence'],
  idempotency_keys: ['ahead_seconds'],
};
const GONE_RULES = ['organizations_residence', 'idempotency_keys_ahead'];

/** Version 1.2.0 accepted such rows, and never wrote them. */
const STRICTER = ({ table, row }: { readonly table: string; readonly row: Row }): boolean =>
  (table === 'api_keys' && row.holder === null) ||
  (table === 'webhook_attempts' && row.mode !== 'test' && row.mode !== 'live');

/** Tries each row and takes it back. A row that is there already breaks no rule of its table. */
const TRY = `
  CREATE FUNCTION pg_temp.try(name text, given jsonb, OUT accepted boolean, OUT rule text)
  LANGUAGE plpgsql AS $$
  DECLARE
    names text := (SELECT string_agg(quote_ident(key), ',') FROM jsonb_each(given));
    state text;
  BEGIN
    EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $1)',
      name, names) USING given;
    RAISE EXCEPTION USING ERRCODE = 'TG001';
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, rule = CONSTRAINT_NAME;
    accepted := state IN ('TG001', '23505');
  END $$`;
const TRY_ALL = `SELECT one.accepted AS "isAccepted", one.rule
  FROM unnest($2::jsonb[]) WITH ORDINALITY AS given (row, place)
  CROSS JOIN LATERAL pg_temp.try($1, row) AS one ORDER BY place`;

let old: Awaited<ReturnType<typeof createDatabase>>;
let fresh: Awaited<ReturnType<typeof createDatabase>>;
let [inOld, inFresh]: Client[] = [];
let catalog: Catalog;
let oldCatalog: Catalog;

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // Foreign keys are triggers, which ask other tables.
  await client.query('SET session_replication_role = replica');
  await client.query(TRY);
  return client;
}

beforeAll(async () => {
  [old, fresh] = await Promise.all([createDatabaseOf120(), createDatabase()]);
  [inOld, inFresh] = await Promise.all([connected(old.url), connected(fresh.url)]);
  [oldCatalog, catalog] = await Promise.all([readCatalog(old.url), readCatalog(fresh.url)]);
});

afterAll(async () => {
  await Promise.all([inOld?.end(), inFresh?.end()]);
  await Promise.all([old.drop(), fresh.drop()]);
});

const tried = async (client: Client | undefined, table: string, rows: readonly Row[]) => {
  const given = [table, rows.map((row) => JSON.stringify(row))];
  return (await client?.query<Outcome>(TRY_ALL, given))?.rows ?? [];
};

const letters = (count: number) => 'y'.repeat(count);
const bytes = (count: number) => `\\x${'00'.repeat(count)}`;
const UUID = '00000000-0000-0000-0000-000000000000';
const INSTANT = '2026-01-01T00:00:00Z';
const TEXTS = [
  ...['', 'x', ' ', 'usd', 'USD', 'us', 'usdd', 'a.b', 'A.b', 'a.', 'a@b', 'mailto:a@b', 'ü@[::1]'],
  ...['https://a.b', 'http://a.b', 'HTTPS://a', 'ftp://a', `https://${letters(492)}`],
  ...[100, 101, 255, 256, 500, 501, 1000, 1001].map(letters),
  ...[`https://${letters(493)}`, `${letters(500)}   `, 'ü'.repeat(255), '😀'.repeat(500)],
];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  uuid: [null, UUID],
  boolean: [null, true, false],
  json: [null, {}],
  'timestamp with time zone': [null, INSTANT],
  bytea: [null, ...[31, 32, 33].map(bytes)],
  'text[]': [null, '{}', '{sessions}', '{propose,approve}', '{bad}', '{*}'],
  bigint: [null, -1, 0, 1, 1000, 999_999_999_999, 1_000_000_000_000],
  integer: [null, -1, 0, 1, 2, 3650, 3651, 34_560_000, 34_560_001],
  smallint: [null, -1, 0, 1, 2, 16, 17, 200, 201, 404, 422, 500, 32_767],
};

/** The members of the enums of a table are words of its texts. */
function valuesOf(table: string): Readonly<Record<string, readonly unknown[]>> {
  const gone = GONE_COLUMNS[table] ?? [];
  const columns = catalog.columns.filter((column) => column.table === table);
  const types = columns.map(({ type }) => type);
  const words = catalog.types
    .filter(({ type, name }) => type === 'e' && types.includes(name))
    .flatMap(({ members }) => members);
  const entries = oldCatalog.columns
    .filter((column) => column.table === table && !gone.includes(column.name))
    .map(({ name, type }) => [name, VALUES[type] ?? [null, ...words, ...TEXTS]]);
  return Object.fromEntries(entries);
}

async function basesOf(table: string, columns: readonly string[]): Promise<Row[]> {
  const text = `SELECT to_jsonb(one) AS row FROM ${table} AS one ORDER BY to_jsonb(one)::text`;
  const rows = (await inOld?.query<{ row: Row }>(text))?.rows ?? [];
  const step = Math.max(1, Math.floor(rows.length / MOST_BASES));
  return rows
    .filter((_, index) => index % step === 0)
    .map(({ row }) => Object.fromEntries(columns.map((name) => [name, row[name]])));
}

/** The same numbers in each run, so that a failure comes again. */
function* numbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state;
  }
}

/** Rows with one other value, and rows with several. An accepted row is a base of others. */
async function compare(table: string) {
  const values = valuesOf(table);
  const columns = Object.keys(values);
  const bases = await basesOf(table, columns);
  const random = numbers();
  const pick = <Value>(from: readonly Value[]): Value =>
    from[random.next().value % from.length] as Value;
  const changed = (row: Row, name: string) => ({ ...row, [name]: pick(values[name] ?? []) });
  const single = bases.flatMap((row) =>
    columns.flatMap((name) => (values[name] ?? []).map((value) => ({ ...row, [name]: value }))),
  );
  const refusedBy = new Set<string>();
  const differences: unknown[] = [];
  const judge = async (rows: readonly Row[]) => {
    const [before, after] = await Promise.all([
      tried(inOld, table, rows),
      tried(inFresh, table, rows),
    ]);
    for (const [index, row] of rows.entries()) {
      const [was, is] = [before[index], after[index]] as [Outcome, Outcome];
      if (!was.isAccepted) refusedBy.add(was.rule);
      else if (is.isAccepted) bases.push(row);
      const isSame = was.isAccepted === is.isAccepted;
      if (!isSame && !STRICTER({ table, row })) differences.push({ table, row, was, is });
    }
  };
  for (let from = 0; from < single.length; from += BATCH)
    await judge(single.slice(from, from + BATCH));
  for (let made = 0; made < RANDOM_ROWS; made += BATCH) {
    const rows = Array.from({ length: BATCH }, () => {
      const names = Array.from({ length: 2 + (random.next().value % 3) }, () => pick(columns));
      return names.reduce(changed, pick(bases));
    });
    await judge(rows);
  }
  return { refusedBy, differences };
}

const TABLES = [
  ...['api_keys', 'checkout_pages', 'checkout_sessions', 'encryption_keys', 'events'],
  ...['idempotency_keys', 'late_payments', 'ledger_webhook_endpoints', 'organizations'],
  ...['page_secrets', 'payment_holds', 'payment_urls', 'payments', 'refunds', 'sandbox_clocks'],
  ...['webhook_attempts', 'webhook_deliveries', 'webhook_endpoints'],
];

describe('the schema refuses what that of 1.2.0 refused, and nothing else', () => {
  test.each(TABLES)('%s', async (table) => {
    const { refusedBy, differences } = await compare(table);
    expect(differences.slice(0, 5)).toEqual([]);
    const rules = oldCatalog.constraints
      .filter((constraint) => constraint.table === table && constraint.type === 'c')
      .map(({ name }) => name);
    expect(rules.filter((rule) => !refusedBy.has(rule) && !GONE_RULES.includes(rule))).toEqual([]);
  });

  test('these are all tables of 1.2.0', () => {
    expect(oldCatalog.tables.map(({ table }) => table)).toEqual(TABLES);
  });
});
