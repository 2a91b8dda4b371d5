import type { DataSource } from 'typeorm';
import { sqlState } from './faults.js';

/**
 * What each connection of the service has set. A lock is waited for at most half a second: the callers behind it keep their
 * share of the pool. A process that hangs in a transaction would keep its locks for ever. PostgreSQL would plan the first
 * five runs of a statement for their values; every statement here has one good plan, and Citus needs the values.
 */
export const SETTINGS = `(VALUES ('lock_timeout', '500ms'), ('statement_timeout', '5s'),
  ('idle_in_transaction_session_timeout', '10s'), ('plan_cache_mode',
    CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END)
  ) AS setting (name, value)`;

const STATEMENTS = `SELECT format('ALTER ROLE %I IN DATABASE %I SET %I = %L',
    coalesce($1, current_user), current_database(), name, value) AS statement FROM ${SETTINGS}`;

/** Gives a role, or the one that asks, the settings on this database. Returns what somebody with more rights must run. */
export async function setRoleSettings(dataSource: DataSource, role: string | undefined): Promise<string[]> {
  const rows: { statement: string }[] = await dataSource.query(STATEMENTS, [role ?? null]);
  const statements = rows.map(({ statement }) => `${statement};`);
  try {
    await dataSource.query(statements.join(' '));
    return [];
  } catch (error) {
    if (sqlState(error) !== '42501') throw error;
    return statements;
  }
}
