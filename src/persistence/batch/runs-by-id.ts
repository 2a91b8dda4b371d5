import type { Outcome, Statement, Values } from './prepared-query.js';

type Send = (statement: Statement, runs: readonly Values[]) => Promise<readonly Outcome[]>;

/**
 * Sends the runs of a statement. If it finds rows by their IDs, runs that differ only in the ID are
 * sent as one run, because finding a row takes PostgreSQL much less time than a run takes.
 */
export async function sentById(
  statement: Statement,
  runs: readonly Values[],
  send: Send,
): Promise<readonly Outcome[]> {
  const { findMany } = statement;
  if (!findMany || runs.length === 1) return send(statement, runs);
  const { index } = findMany;
  const groups = [...Map.groupBy(runs, (values) => values.toSpliced(index, 1).join()).values()];
  if (groups.length === runs.length) return send(statement, runs);
  const joined = groups.map((group) => {
    const ids = group.map((values) => values[index]);
    return (group[0] as Values).with(index, `{${ids.join()}}`);
  });
  const found = await send(findMany.statement, joined);
  const outcomes = new Map<Values, Outcome>();
  for (const [place, group] of groups.entries()) {
    const rowsOf = rowsById(found[place] as Outcome);
    for (const values of group) {
      const rows = rowsOf.get(values[index]) ?? [];
      outcomes.set(values, { rows, rowCount: rows.length });
    }
  }
  return runs.map((values) => outcomes.get(values) as Outcome);
}

/** Returns the rows of each ID, which is written without hyphens, as uuidOf() returns it. */
function rowsById({ rows }: Outcome): ReadonlyMap<unknown, Outcome['rows']> {
  return Map.groupBy(rows, (row) => String(row.id).replaceAll('-', ''));
}
