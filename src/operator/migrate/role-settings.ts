import type { DataSource } from 'typeorm';
import { SETTINGS } from '../../persistence/data-source.js';
import { sqlState } from '../../platform/faults.js';

const STATEMENTS = `SELECT format('ALTER ROLE %I IN DATABASE %I SET %I = %L',
    coalesce($1, current_user), current_database(), name, value) AS statement FROM ${SETTINGS}`;

/** Gives a role, by default the current one, the settings on this database. Returns the SQL that needs more rights. */
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
