/** What the rows weigh, and which indexes earned their weight. */
import type { Client as Sql } from 'pg';

export interface RelationSize {
  readonly table: string;
  /** Null for the table itself. */
  readonly index: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly bytesPerRow: number;
  /** How often it was looked into since the counters were reset; null for the table itself. */
  readonly uses: number | null;
}

export async function resetUses(sql: Sql): Promise<void> {
  await sql.query('SELECT pg_stat_reset()');
}

/** Tables with the indexes of each, in the order of their names. */
export async function readSizes(sql: Sql, tables: readonly string[]): Promise<RelationSize[]> {
  const { rows } = await sql.query<Omit<RelationSize, 'bytesPerRow'>>(
    `WITH heap AS (
       SELECT oid, relname AS name, reltuples::float8 AS rows FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) AND relkind = 'r'
     )
     SELECT name AS table, NULL AS index, rows, pg_table_size(oid)::float8 AS bytes, NULL AS uses FROM heap
     UNION ALL
     SELECT name, indexrelname, rows, pg_relation_size(indexrelid)::float8, idx_scan::float8
     FROM heap JOIN pg_stat_user_indexes ON relid = heap.oid
     ORDER BY 1, 2 NULLS FIRST`,
    [tables],
  );
  return rows.map((row) => ({ ...row, bytesPerRow: row.rows > 0 ? row.bytes / row.rows : 0 }));
}
