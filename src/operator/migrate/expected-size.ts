import type { DataSource } from 'typeorm';
import { hasCitus } from '../../persistence/citus/citus.js';
import { isLockTimeout } from '../../persistence/faults.js';

/**
 * One plan of a statement serves all organizations, and PostgreSQL makes it for one of average
 * size. Among many tiny organizations, that plan would read all rows of a large one to find a few.
 * So PostgreSQL is told to expect 100 organizations in each table, however many there are.
 */
const EXPECTED = 'n_distinct=100';
/** These are the tables in which an organization has many rows: its ID begins their key. */
const UNTOLD = `SELECT format(
    'ALTER TABLE %I ALTER COLUMN organization_id SET (${EXPECTED})', relname) AS statement
  FROM pg_class AS relation
  JOIN pg_index ON indrelid = relation.oid AND indisprimary AND indnkeyatts > 1
  JOIN pg_attribute ON attrelid = relation.oid AND attnum = indkey[0]
  WHERE relnamespace = current_schema()::regnamespace AND attname = 'organization_id'
    AND pg_has_role(relowner, 'USAGE')
    AND attoptions IS DISTINCT FROM ARRAY['${EXPECTED}']
  ORDER BY relname`;

/**
 * PostgreSQL heeds it from the next ANALYZE on. A table that a VACUUM or the building of an index
 * has locked is left to the next `migrate`. Citus cannot do this to a distributed table, for which
 * it makes a plan for each organization.
 */
export async function expectLargeOrganizations(dataSource: DataSource): Promise<void> {
  if (await hasCitus(dataSource)) return;
  for (const { statement } of await dataSource.query(UNTOLD)) {
    const told = dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL lock_timeout = '2s'`);
      await manager.query(statement);
    });
    await told.catch((error) => {
      if (!isLockTimeout(error)) throw error;
    });
  }
}
