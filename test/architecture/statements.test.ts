/**
 * Every SQL text of the source can run on Citus, where the rows of an organization are on one of several machines: a
 * statement that changes or locks rows names their organization, and queries for all organizations are on a list.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { unscopedTable } from '../../src/platform/database/organization-scope.js';

/** Queries for the rows of all organizations. Each gives the reason in its SQL. */
const FAN_OUTS = [
  // Sweeps: which organizations have old rows, before the rows of each are changed.
  'checkout.overdue',
  'events.old',
  'idempotency.old',
  // Due work of all organizations.
  'page.late_payments_due',
  'refunds.claim_owners',
  'sandbox.moved',
  'webhooks.organizations',
  // The ledger, when it names no organization.
  'events.ledger_list',
  'events.ledger_list_object_id',
  'payments.ledger',
  'payments.ledger checkout_session_id',
  'payments.ledger reference',
  'payments.ledger reference checkout_session_id',
  'payments.ledger_find',
  'payments.ledger_find_hold',
  'refunds.ledger_find',
  'refunds.ledger_list',
  // What reencrypt and doctor read.
  'page.organizations_with_payment_url',
  'encryption.look idempotency_keys body',
  'encryption.look ledger_webhook_endpoints previous_secret',
  'encryption.look ledger_webhook_endpoints secret',
  'encryption.look webhook_endpoints previous_secret',
  'encryption.look webhook_endpoints secret',
  // Metrics.
  'events.measure',
  'payments.measure',
  'refunds.measure',
];

/** Locks rows of all organizations in one statement, which is used on one machine only. */
const ON_ONE_MACHINE = ['refunds.claim'];

/** Organizations of rows that are in no table yet: on Citus they are collected first, and committed in two phases. */
const CONSTANT_OWNERS = [
  'events.record_all',
  'postgres-outbox ALL_TO_LEDGER',
  'postgres-outbox ALL_TO_URLS',
  'postgres-outbox TO_LEDGER',
  'postgres-outbox TO_URL',
];

const TABLES = ownedTables();

const RULES = {
  'names an organization for each table': (sql: string) => unscopedTable(sql, TABLES) === undefined,
  'changes or locks nothing of all organizations': (sql: string) =>
    !/every organization:/.test(sql) || !/\b(INSERT|UPDATE|DELETE)\b/.test(bare(sql)),
  'takes the organization of a new row from a row, or as a value': (sql: string) => !insertsSelected(sql, /^\$\d/),
  'inserts from one query, not from a union': (sql: string) =>
    !/INSERT INTO [^;]*?SELECT[^)]*\bUNION\b/s.test(bare(sql)),
  'decides a write by nothing that differs from machine to machine': (sql: string) =>
    !isWrite(sql) || !/\b(clock_timestamp|random|gen_random_uuid|nextval|timeofday)\b/.test(bare(sql)),
  'returns columns only': (sql: string) =>
    !/\bRETURNING\b[^()]*\(/.test(bare(sql).replaceAll(/RETURNING [\w\s,*."]+\)/g, '')),
};
type Rule = keyof typeof RULES;

const STATEMENTS: Readonly<Record<string, string>> = JSON.parse(
  execFileSync(process.execPath, ['test/support/statements.js'], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }),
);

const breaking = (rule: Rule) => Object.entries(STATEMENTS).flatMap(([name, sql]) => (RULES[rule](sql) ? [] : [name]));

test('the statements of all modules are known', () => {
  expect(Object.keys(STATEMENTS).length).toBeGreaterThan(120);
  expect([...TABLES].filter((table) => !Object.values(STATEMENTS).some((sql) => sql.includes(table)))).toEqual([]);
});

test('a statement that reads all organizations is on the list', () => {
  const found = Object.entries(STATEMENTS).filter(([, sql]) => sql.includes('every organization:'));
  const names = found.map(([name]) => name.replace(/_(asc|desc)(_distributed)?$/, ''));
  expect([...new Set(names)].sort()).toEqual([...FAN_OUTS, ...ON_ONE_MACHINE].sort());
});

test.each<[Rule, readonly string[]]>([
  ['names an organization for each table', []],
  ['changes or locks nothing of all organizations', ON_ONE_MACHINE],
  ['takes the organization of a new row from a row, or as a value', CONSTANT_OWNERS],
  ['inserts from one query, not from a union', []],
  ['decides a write by nothing that differs from machine to machine', []],
  ['returns columns only', ON_ONE_MACHINE],
])('each %s', (rule, allowed) => {
  expect(breaking(rule).sort()).toEqual(allowed);
});

test.each<[Rule, string]>([
  ['names an organization for each table', 'UPDATE refunds SET status = $2 WHERE id = $1'],
  [
    'names an organization for each table',
    'SELECT id FROM events e JOIN refunds r ON r.id = e.object_id WHERE e.organization_id = $1',
  ],
  [
    'changes or locks nothing of all organizations',
    '/* every organization: what is old goes */ DELETE FROM events WHERE id < $1',
  ],
  [
    'changes or locks nothing of all organizations',
    '/* every organization: the oldest first */ SELECT id FROM refunds FOR UPDATE SKIP LOCKED',
  ],
  [
    'takes the organization of a new row from a row, or as a value',
    'INSERT INTO events (organization_id, id) SELECT $1::uuid, id FROM unnest($2::uuid[]) AS one (id)',
  ],
  [
    'inserts from one query, not from a union',
    'INSERT INTO events (organization_id, id) SELECT organization_id, id FROM refunds WHERE organization_id = $1 UNION ALL SELECT organization_id, id FROM payments WHERE organization_id = $1',
  ],
  [
    'decides a write by nothing that differs from machine to machine',
    'UPDATE refunds SET status = $2 WHERE organization_id = $1 AND claim_expires_at < clock_timestamp()',
  ],
  [
    'returns columns only',
    'UPDATE refunds SET status = $2 WHERE organization_id = $1 RETURNING id, extract(epoch FROM claim_expires_at) AS at',
  ],
])('not kept: each %s: %s', (rule, sql) => {
  expect(RULES[rule](sql)).toBe(false);
});

/** Without comments and strings. */
function bare(sql: string): string {
  return sql.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/'[^']*'/g, "''");
}

function isWrite(sql: string): boolean {
  return /\b(INSERT|UPDATE|DELETE)\b/.test(bare(sql));
}

/** Whether a row is inserted whose organization, which is the first column, is selected so. */
function insertsSelected(sql: string, so: RegExp): boolean {
  const inserts = bare(sql).matchAll(/INSERT INTO (\w+)(?: AS \w+)?\s*\(\s*organization_id\b[^)]*\)\s*SELECT\s+(\S+)/g);
  return [...inserts].some(([, table = '', first = '']) => TABLES.has(table) && so.test(first));
}

/** Tables whose rows belong to organizations, by their records. */
function ownedTables(): ReadonlySet<string> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.record.ts'));
  return new Set(
    files.flatMap((file) => {
      const source = readFileSync(join('src', file), 'utf8');
      const table = /@Entity\('(\w+)'/.exec(source)?.[1] ?? '';
      return /name: 'organization_id'(?!, nullable)/.test(source) ? [table] : [];
    }),
  );
}
