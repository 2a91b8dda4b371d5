/**
 * Checks modes as organizations.ts checks organizations: a query that reads or changes rows of a
 * mode has a condition on their mode.
 */
import { parse } from 'libpg-query';
import { fieldsOf, KINDS, listOf, type Node, nameOf, tablesIn } from './tree.js';

/**
 * A statement for the rows of both modes, or of all organizations, begins with one of these
 * comments, which gives the reason.
 */
const FOR_BOTH = /^\s*\/\* (?:both modes|every organization): \S.{15,}? \*\//s;

export async function modesMissingIn(
  sql: string,
  tables: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (FOR_BOTH.test(sql)) return [];
  const { stmts = [] } = await parse(sql);
  return missing(stmts, tables);
}

function missing(tree: unknown, tables: ReadonlySet<string>): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    const isQuery = (KINDS as readonly string[]).includes(key) || key === 'larg' || key === 'rarg';
    return [...(isQuery ? missingOf(key, value as Node, tables) : []), ...missing(value, tables)];
  });
}

/** A new row has a mode, because the column is never null. */
function missingOf(kind: string, query: Node, tables: ReadonlySet<string>): string[] {
  const changed =
    kind === 'UpdateStmt' || kind === 'DeleteStmt' ? [{ RangeVar: query.relation }] : [];
  const from = [...changed, ...listOf(query.fromClause), ...listOf(query.usingClause)];
  const compared = new Set(modesIn([query.whereClause, from]));
  const read = tablesIn(from).filter(({ relname }) => tables.has(relname as string));
  const isAsked = (table: Node) => compared.has(nameOf(table)) || compared.has('');
  return read.filter((table) => !isAsked(table)).map(({ relname }) => relname as string);
}

/**
 * Returns the names of the tables whose mode is in a condition; '' stands for any table. Queries
 * inside this query are not searched.
 */
function modesIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const fields = fieldsOf(tree);
  if (fields?.at(-1) === 'mode') return [fields.at(-2) ?? ''];
  return Object.entries(tree).flatMap(([key, value]) => {
    if ((KINDS as readonly string[]).includes(key)) return [];
    if (key === 'usingClause') return JSON.stringify(value).includes('"mode"') ? [''] : [];
    return modesIn(value);
  });
}
