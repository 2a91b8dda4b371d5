import type { Client } from 'pg';

const BATCH = 500;

/** Tables whose rows stay on the source, so that its keys answer 503 and not 401. */
const STAYING = ['organizations', 'api_keys'];

export class RowsChanged extends Error {}

const TABLES = `SELECT table_name AS name FROM information_schema.columns
  WHERE table_schema = 'public' AND column_name = 'organization_id' ORDER BY 1`;
const REFERENCES = `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid`;

async function tablesOf(source: Client): Promise<string[]> {
  const { rows: found } = await source.query<{ name: string }>(TABLES);
  const { rows: references } = await source.query<{ child: string; parent: string }>(REFERENCES);
  const placed = ['organizations'];
  let rest = found.map(({ name }) => name);
  while (rest.length > 0) {
    const waits = (table: string) => references.some(({ child, parent }) => child === table && rest.includes(parent));
    const next = rest.filter((table) => !waits(table));
    if (next.length === 0) throw new Error(`${rest.join(', ')} refer to each other in a circle.`);
    placed.push(...next);
    rest = rest.filter(waits);
  }
  return placed;
}

const ownerOf = (table: string): string => (table === 'organizations' ? 'id' : 'organization_id');

/** Locks the rows until the transaction ends, and copies them as text. Returns the number of rows of each table. */
export async function copyRows(source: Client, target: Client, organization: string): Promise<Record<string, number>> {
  const copied: Record<string, number> = {};
  for (const table of await tablesOf(source)) {
    const rows = `SELECT book::text AS row FROM ${table} AS book WHERE ${ownerOf(table)} = $1 FOR UPDATE`;
    await source.query(`DECLARE rows NO SCROLL CURSOR FOR ${rows}`, [organization]);
    copied[table] = 0;
    for (;;) {
      const batch = await source.query<{ row: string }>(`FETCH ${BATCH} FROM rows`);
      if (batch.rows.length === 0) break;
      const texts = batch.rows.map(({ row }) => row);
      await target.query(`INSERT INTO ${table} SELECT * FROM unnest($1::${table}[])`, [texts]);
      copied[table] += batch.rows.length;
    }
    await source.query('CLOSE rows');
  }
  return copied;
}

/** Throws RowsChanged if rows were added after they were copied. The copied rows are locked and cannot change. */
export async function deleteRows(
  source: Client,
  organization: string,
  copied: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [table, count] of Object.entries(copied).reverse()) {
    if (STAYING.includes(table)) continue;
    const { rowCount } = await source.query(`DELETE FROM ${table} WHERE organization_id = $1`, [organization]);
    if (rowCount !== count)
      throw new RowsChanged(`${table} had ${count} rows of the organization, and then ${rowCount}.`);
  }
}

export async function rowsLeft(source: Client, organization: string): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const table of await tablesOf(source)) {
    if (STAYING.includes(table)) continue;
    const counting = `SELECT count(*)::integer AS count FROM ${table} WHERE organization_id = $1`;
    const { rows } = await source.query<{ count: number }>(counting, [organization]);
    if (rows[0]?.count) left[table] = rows[0].count;
  }
  return left;
}
