/** A query that touches rows of organizations says whose, in each of its parts. */
import { expect, test } from '@jest/globals';
import { unscopedTable } from '../../src/platform/database/organization-scope.js';

const TABLES = new Set(['refunds', 'payments']);
const REASON = '/* every organization: the ledger pays for all */';

test.each([
  'SELECT id FROM refunds WHERE organization_id = $1 AND mode = $2 AND id = $3',
  'UPDATE refunds SET status = $4 WHERE organization_id = $1',
  'INSERT INTO refunds (organization_id, id) VALUES ($1, $2)',
  'SELECT id FROM organizations WHERE id = $1',
  'SELECT * FROM payments p JOIN refunds r ON r.organization_id = p.organization_id WHERE p.organization_id = $1',
  'WITH held AS (UPDATE payments SET held = $5 WHERE organization_id = $4) INSERT INTO refunds VALUES ($1, $2)',
  'SELECT "r"."id" FROM "refunds" "r" WHERE (("r"."organization_id" = $1) AND ("r"."id" = $2)) LIMIT 1',
  "SELECT 'FROM refunds'",
  `${REASON} SELECT id FROM refunds WHERE id = (SELECT max(id) FROM refunds)`,
  `DELETE FROM refunds WHERE organization_id = $1 AND id = ANY (ARRAY(${REASON} SELECT id FROM refunds))`,
  'START TRANSACTION',
])('%s', (sql) => {
  expect(unscopedTable(sql, TABLES)).toBeUndefined();
});

test.each([
  ['SELECT id FROM refunds WHERE mode = $2 AND id = $3', 'refunds'],
  ['SELECT id FROM refunds WHERE $1::uuid IS NOT NULL AND id = $3', 'refunds'],
  ["SELECT id FROM refunds WHERE note = 'organization_id = $1' AND id = $3", 'refunds'],
  ['SELECT organization_id FROM refunds WHERE id = $1', 'refunds'],
  ['UPDATE payments SET held = $2 WHERE id = $1', 'payments'],
  ['DELETE FROM payments USING refunds WHERE refunds.organization_id = $1', 'refunds'],
  ['SELECT * FROM payments p JOIN refunds r ON r.payment_id = p.id WHERE p.organization_id = $1', 'refunds'],
  ['SELECT id FROM refunds WHERE organization_id = $1 AND payment_id IN (SELECT id FROM payments)', 'payments'],
  ['SELECT id FROM payments WHERE organization_id = $1 UNION ALL SELECT id FROM refunds', 'refunds'],
  ['WITH held AS (UPDATE payments SET held = $5) INSERT INTO refunds VALUES ($1, $2)', 'payments'],
  ['SELECT "r"."id" FROM "public"."refunds" "r" WHERE "r"."id" = $1', 'refunds'],
  ['/* every organization: why */ SELECT id FROM refunds', 'refunds'],
  [`${REASON.replace('/*', '--')}\nSELECT id FROM refunds`, 'refunds'],
])('refused: %s', (sql, table) => {
  expect(unscopedTable(sql, TABLES)).toBe(table);
});
