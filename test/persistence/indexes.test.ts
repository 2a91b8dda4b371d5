/**
 * Each index that serves no key has a comment in its migration, which names what reads it: a
 * statement of docs/sql, or a method of a port. PostgreSQL plans each of them here, in tables of
 * 100,000 rows, and must use the index. An index that nothing reads makes writes slower. The plan
 * must be good for a large organization, even if nearly all others are tiny.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ApiKeys, Trail } from '../../src/modules/access/application/ports.js';
import { CheckoutSessions, SessionDetails } from '../../src/modules/checkout/application/ports.js';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { EventSweeper } from '../../src/modules/events/adapters/persistence/event-sweeper.js';
import { Pages } from '../../src/modules/page/application/ports.js';
import { Holds, Payments } from '../../src/modules/payments/application/ports.js';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { Refunds } from '../../src/modules/refunds/application/ports.js';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { SETTINGS } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { Jobs } from '../../src/platform/jobs.js';
import { type IdKind, idOf, uuidOf } from '../../src/shared/id.js';
import { type OwnId, ownId } from '../../src/shared/own-id.js';
import { type Service, startService } from '../kit/service.js';
import { fillTables, SPREADS } from '../support/large-tables.js';
import { createDatabase } from '../support/postgres.js';
import { Shop } from '../support/shop.js';

// In a process of its own, because it changes how modules load.
const COLLECT = `import { collect } from './dist/tools/statements/collect.js';
  const { statements } = await collect();
  console.log(JSON.stringify([...statements].map(([name, { text }]) => ({ name, text }))));`;

const statements: { readonly name: string; readonly text: string }[] = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '--eval', COLLECT], { encoding: 'utf8' }),
);

const MIGRATIONS = readdirSync('migrations')
  .map((file) => readFileSync(`migrations/${file}`, 'utf8'))
  .join('\n');
const INDEX = /((?: *--.*\n)+) *CREATE INDEX (\w+)\s+ON (\w+)([^;]*);/g;

/** These are all indexes but those of keys, which are promises. */
const indexes = [...MIGRATIONS.matchAll(INDEX)].map((found) => {
  const [, comment = '', index = '', table = '', rest = ''] = found;
  const words = comment.replaceAll(/\n? *-- /g, ' ');
  const isNamed = (reader: string) =>
    new RegExp(`(?<!\\w)${reader.replaceAll('.', '\\.')}(?!\\w)`).test(words);
  const methods = [...words.matchAll(/\b[A-Z]\w+\.[a-z]\w+/g)].map(([method]) => method);
  return {
    index,
    table,
    isPartial: rest.includes('WHERE'),
    statements: statements.filter((statement) => isNamed(statement.name)),
    methods,
  };
});

const textOf = (name: string) =>
  statements.find((statement) => statement.name === name)?.text ?? '';

const byStatement = indexes.flatMap((index) =>
  index.statements.map((statement) => ({ ...index, ...statement })),
);
const byMethod = indexes.flatMap((index) => index.methods.map((method) => ({ ...index, method })));

/** Tells whether the statement is about one organization. */
const isOfOne = ({ text }: { readonly text: string }) => /organization_id = \$/.test(text);

/** In an index of the rows of each organization, this column comes after its ID and mode. */
const NEXT_COLUMNS = `SELECT indexrelid::regclass::text AS index,
    pg_get_indexdef(indexrelid, 3, true) AS column
  FROM pg_index WHERE pg_get_indexdef(indexrelid, 1, true) = 'organization_id'
    AND pg_get_indexdef(indexrelid, 2, true) = 'mode' AND indnkeyatts > 2 AND indpred IS NULL`;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
}

type Planned = readonly [{ readonly 'QUERY PLAN': readonly [{ readonly Plan: Node }] }];

let database: Awaited<ReturnType<typeof createDatabase>>;
let service: Service;
let shop: Shop;
let payment: OwnId;
let session: OwnId;

describe.each(Object.entries(SPREADS))('in tables of %s', (_, spread) => {
  beforeAll(async () => {
    // It is migrated here, so that it is told what organizations to expect as every database is.
    database = await createDatabase({ empty: true });
    await migrate(database.url);
    service = await startService({ databaseUrl: database.url });
    shop = await Shop.open(service);
    // The jobs would do what is due in the tables.
    await service.application.get(Jobs).onModuleDestroy();
    await fillTables(service.sql, shop.organization, spread);
    await service.sql.query(`SELECT set_config(name, value, false) FROM ${SETTINGS}
      WHERE name NOT LIKE '%_timeout'`);
    payment = await firstOf('payments', PAYMENT_ID);
    session = await firstOf('checkout_sessions', CHECKOUT_SESSION_ID);
  });

  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  test('each index is of a key, or something reads it', async () => {
    const { rows } = await service.sql.query<{ name: string }>(
      `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public'
        AND indexdef NOT LIKE 'CREATE UNIQUE%' ORDER BY 1`,
    );
    const read = indexes.filter((index) => index.statements.length + index.methods.length > 0);
    expect(read.map(({ index }) => index).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  test.each(byStatement)('$name reads $index', async ({ text, ...index }) => {
    expectReading(index, scansOf(await planOf(text)));
  });

  test.each(byMethod)('$method reads $index', async ({ method, ...index }) => {
    const call = callsOf(method)[index.index];
    if (call === undefined) throw new Error(`Add how ${method} reads ${index.index} to callsOf().`);
    const sent = (await sentBy(call)).filter((text) => text.includes(`"${index.table}"`));
    const plans = [];
    for (const text of sent) plans.push(await planOf(text));
    expectReading(index, plans.flatMap(scansOf));
  });

  test('a create whose reference must be unique reads no expired session', async () => {
    const conditions = scansOf(await planOf(textOf('checkout.with_reference'))).map(
      (node) => node['Index Cond'],
    );
    expect(conditions).toEqual([
      expect.stringContaining(`status = 'complete'`),
      expect.stringContaining(`status = 'open'`),
    ]);
  });

  test('a page of the refunds of a payment reads no more of them', async () => {
    const text = textOf('personal_data.belonging refund 1');
    const pages = nodesOf(await planOf(text)).filter((node) => node['Node Type'] === 'Limit');
    expect(pages.flatMap(({ Plans = [] }) => Plans)).toContainEqual(
      expect.objectContaining({ 'Index Name': 'refunds_payment_list' }),
    );
  });

  test('no statement reads all rows of an organization to find a few', async () => {
    const { rows } = await service.sql.query<{ index: string; column: string }>(NEXT_COLUMNS);
    const nextOf = new Map(rows.map(({ index, column }) => [index, column]));
    const wrong: string[] = [];
    for (const { name, text } of statements.filter(isOfOne)) {
      const scans = scansOf(await planOf(text));
      const whole = scans.filter((scan) => {
        const next = nextOf.get(scan['Index Name'] ?? '');
        // PostgreSQL reads an index once for many IDs while that costs less than to look up each.
        const isOfIds = scan['Index Cond']?.includes('(id = ANY');
        return next !== undefined && !isOfIds && !scan['Index Cond']?.includes(next);
      });
      wrong.push(...whole.map((scan) => `${name}: ${scan['Index Name']} ${scan['Index Cond']}`));
    }
    expect(wrong).toEqual([]);
  });
});

/** Returns the ID of a row of the shop. */
async function firstOf(table: string, kind: IdKind): Promise<OwnId> {
  const { rows } = await service.sql.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE organization_id = $1 AND mode = $2 LIMIT 1`,
    [uuidOf(shop.organization), shop.mode],
  );
  return ownId(shop, idOf(kind, rows[0]?.id as string, shop.mode));
}

/** Calls the method in the way in which it needs the index. */
function callsOf(method: string): Readonly<Record<string, () => Promise<unknown>>> {
  const port = <Port>(token: abstract new () => Port): Port => service.application.get(token);
  const { organization, mode } = shop;
  const caller = { organization, mode };
  const ledger = { mode };
  const page = { limit: 25, cursor: undefined, from: undefined, to: undefined };
  const clock = { ...caller, ahead: 60_000 };
  const payments = { ...page, checkoutSession: undefined };
  const refunds = { ...page, payment: undefined, status: undefined };
  const holds = { ...page, payment: undefined };
  const trail = { ...page, organization: undefined, type: undefined, order: 'desc' } as const;
  const calls = {
    'ApiKeys.list': { api_keys_organization: () => port(ApiKeys).list(organization, page) },
    'Trail.list': {
      operator_events_position: () => port(Trail).list({ ...trail, from: 1, to: Date.now() }),
      operator_events_organization: () => port(Trail).list({ ...trail, organization }),
      operator_events_type: () => port(Trail).list({ ...trail, type: 'api_key.revoked' }),
    },
    'CheckoutSessions.overdue': {
      checkout_sessions_open_expiry: () => port(CheckoutSessions).overdue(100),
      checkout_sessions_own_expiry: () => port(CheckoutSessions).overdue(100, undefined, clock),
    },
    'SessionDetails.closed': {
      checkout_sessions_with_details: () =>
        port(SessionDetails).closed(caller, { days: 1, limit: 100, after: undefined }),
    },
    'Payments.list': {
      payments_checkout_session_list: () =>
        port(Payments).list(caller, { ...page, checkoutSession: session }),
    },
    'Payments.listOfAll': {
      payments_ledger_list: () => port(Payments).listOfAll(ledger, payments),
      payments_ledger_reference: () =>
        port(Payments).listOfAll(ledger, { ...payments, reference: 'payment-1' }),
    },
    'Holds.listOfAll': {
      payment_holds_id: () => port(Holds).listOfAll(ledger, holds),
      payment_holds_payment_list: () => port(Holds).listOfAll(ledger, { ...holds, payment }),
    },
    'Refunds.list': {
      refunds_payment_list: () =>
        port(Refunds).list(caller, { ...refunds, payment, status: 'failed' }),
      refunds_status_list: () => port(Refunds).list(caller, { ...refunds, status: 'failed' }),
      refunds_waiting: () => port(Refunds).list(caller, { ...refunds, onlyWaiting: true }),
    },
    'Refunds.listOfAll': {
      refunds_payment_list: () => port(Refunds).listOfAll(ledger, { ...refunds, payment }),
      refunds_ledger_all: () => port(Refunds).listOfAll(ledger, refunds),
      refunds_ledger_status: () =>
        port(Refunds).listOfAll(ledger, { ...refunds, status: 'failed' }),
    },
    'Refunds.byPayout': {
      refunds_provider_reference: () =>
        port(Refunds).byPayout(caller, { payment, amount: 1, providerReference: 'payout-400' }),
    },
    'Refunds.overdue': {
      refunds_overdue: () => port(Refunds).overdue(100),
      refunds_own_overdue: () => port(Refunds).overdue(100, undefined, clock),
    },
    'EventSweeper.find': {
      events_across: () =>
        service.application.get(EventSweeper).find(uuidOf(session), mode, 'refund.failed', 500),
    },
    'Pages.dueTransfers': { late_payments_due: () => port(Pages).dueTransfers(100) },
  };
  return calls[method as keyof typeof calls] ?? {};
}

/** Returns the queries that TypeORM sends. */
async function sentBy(call: () => Promise<unknown>): Promise<readonly string[]> {
  const { dataSource } = service.application.get(Database) as unknown as { dataSource: DataSource };
  const sent: string[] = [];
  const { logger } = dataSource;
  const logQuery = (text: string) => sent.push(text);
  dataSource.logger = Object.assign(Object.create(logger), { logQuery });
  await call();
  dataSource.logger = logger;
  return sent;
}

/** Returns the plan that PostgreSQL makes for all values, as on the connections of the service. */
async function planOf(text: string): Promise<Node> {
  const { sql } = service;
  await sql.query(`PREPARE planned AS ${text}`);
  const { rows: prepared } = await sql.query<{ parameters: number }>(
    `SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements`,
  );
  const nulls = Array(prepared[0]?.parameters).fill('NULL');
  const values = nulls.length === 0 ? '' : `(${nulls})`;
  const { rows } = await sql.query(`EXPLAIN (FORMAT JSON) EXECUTE planned${values}`);
  await sql.query('DEALLOCATE planned');
  return (rows as unknown as Planned)[0]['QUERY PLAN'][0].Plan;
}

function scansOf(plan: Node): Node[] {
  return nodesOf(plan).filter((node) => node['Relation Name'] ?? node['Index Name']);
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

type Index = Pick<(typeof indexes)[number], 'index' | 'table' | 'isPartial'>;

/** A partial index has few rows, so a statement may read all of them. */
function expectReading({ index, table, isPartial }: Index, scans: readonly Node[]): void {
  const condition = isPartial ? {} : { 'Index Cond': expect.stringMatching(/./) };
  expect(scans).toContainEqual(expect.objectContaining({ 'Index Name': index, ...condition }));
  const whole = { 'Node Type': 'Seq Scan', 'Relation Name': table };
  expect(scans).not.toContainEqual(expect.objectContaining(whole));
}
