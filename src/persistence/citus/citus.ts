/**
 * A Citus cluster keeps the rows of an organization on one of several machines
 * (docs/operate/citus.md). This file has the SQL and the checks of errors that differ there.
 */

/** This is what TypeORM's data source, manager and query runner have in common. */
export interface Sql {
  // biome-ignore lint/suspicious/noExplicitAny: as TypeORM declares it.
  query(text: string, values?: unknown[]): Promise<any>;
}

export async function hasCitus(sql: Sql): Promise<boolean> {
  return (await sql.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)).length > 0;
}

/**
 * Every statement here has one good plan, so PostgreSQL need not plan the first five runs for their
 * values. Citus needs the values to find the shard.
 */
export const PLAN_CACHE_MODE = `CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
  THEN 'auto' ELSE 'force_generic_plan' END`;

/**
 * Tells whether another node was lost. The severity would be FATAL if this connection were lost.
 */
export function isLossOfNode(state: string, error: unknown): boolean {
  return state.startsWith('08') && (error as { severity?: unknown }).severity === 'ERROR';
}

/** Tells whether another node died during a commit, which has no SQLSTATE of its own. */
export function isCommitCutOff(state: string, { message }: Error): boolean {
  return (
    state === 'XX000' &&
    /^(?:could not commit transaction|SSL error|server closed the connection)/.test(message)
  );
}

/**
 * Tells whether the error is about the constraint. A node adds the number of its shard to the name,
 * and other nodes learn the name only from the message.
 */
export function isOfShard(error: unknown, constraint: string): boolean {
  const { constraint: name, message } = error as { constraint?: unknown; message?: unknown };
  return new RegExp(`"${constraint}_\\d+"|"${constraint}"`).test(
    name === undefined ? String(message) : `"${name}"`,
  );
}
