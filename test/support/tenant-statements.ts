/**
 * Fails a test file whose service sent a statement that could reach rows of another organization or
 * mode. The statement may be TypeORM's or a named one.
 */
import type { INestApplicationContext } from '@nestjs/common';
import type { Client, Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/persistence/database.js';
import { modesMissingIn } from '../../tools/statements/modes.js';
import { faultsOf } from '../../tools/statements/organizations.js';

const QUERY = /^\s*(?:\/\*.*?\*\/\s*)?\(*(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b/s;
/**
 * The texts for one row write the rows of many requests together. `npm run check` judges these
 * texts, and each names its organization.
 */
const TOGETHER = /\bunnest\(\$\d+::text\[\]|\$1::uuid\[\]/;
/**
 * Each part of a statement names the organization for itself. `npm run check` looks at the parts.
 */
const OF_PARTS = 'names more than one organization';
/**
 * Only a single PostgreSQL counts the rows of other parts. On Citus, each part of such a write is
 * sent alone.
 */
const COUNTED = /\bRETURNING 1 \/ \(\(SELECT count/;
const OF_COUNTED = 'has a sub-query in an INSERT of values';

const OWNED = `SELECT relname AS name, bool_or(attname = 'mode') AS "hasMode"
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
  GROUP BY relname HAVING bool_or(attname = 'organization_id' AND attnotnull)`;

/**
 * Begins to listen. The function that it returns throws if one of the statements since then has a
 * fault.
 */
export async function watchStatements(
  application: INestApplicationContext,
  sql: Client,
): Promise<() => Promise<void>> {
  const { rows } = await sql.query<{ name: string; hasMode: boolean }>(OWNED);
  const owned = new Set(rows.map(({ name }) => name));
  const ofModes = new Set(rows.filter(({ hasMode }) => hasMode).map(({ name }) => name));
  const { dataSource } = application.get(Database) as unknown as { dataSource: DataSource };
  const sent = statementsOf((dataSource.driver as unknown as { master: Pool }).master);
  return async () => {
    const complaints: string[] = [];
    for (const statement of sent) {
      if (!QUERY.test(statement) || TOGETHER.test(statement)) continue;
      const allowed = COUNTED.test(statement) ? [OF_PARTS, OF_COUNTED] : [OF_PARTS];
      const found = await faultsOf(statement, owned);
      const faults = found.filter((fault) => !allowed.includes(fault));
      for (const fault of faults)
        complaints.push(
          `${owned.has(fault) ? `no organization for ${fault}` : fault}: ${statement}`,
        );
      for (const table of await modesMissingIn(statement, ofModes))
        complaints.push(`no mode for ${table}: ${statement}`);
    }
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  };
}

function statementsOf(pool: Pool): ReadonlySet<string> {
  const sent = new Set<string>();
  const heard = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    const send = client.query.bind(client) as (...query: readonly unknown[]) => unknown;
    const heeded = (query: string | { text: string }, ...rest: readonly unknown[]) => {
      sent.add(typeof query === 'string' ? query : query.text);
      return send(query, ...rest);
    };
    Object.assign(client, { query: heeded });
  });
  return sent;
}
