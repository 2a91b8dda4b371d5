/**
 * Finds what Citus refuses about a statement that reads the rows of all organizations, as far as
 * the text shows it: each machine answers for the organizations whose rows it has.
 */
import { parse } from 'libpg-query';
import { FOR_ALL } from './organizations.js';
import { conditionsOf, fieldsOf, joinsOf, listOf, type Node, nameOf, tablesIn } from './tree.js';

/** Says of each name in FROM whether it is a table of organizations. */
type Names = ReadonlyMap<string, boolean>;
type IsOwned = (table: unknown) => boolean;

/** Returns one line for each rule that the statement breaks. */
export async function refusedOfAll(
  sql: string,
  ofOrganizations: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (!FOR_ALL.test(sql)) return [];
  const { stmts = [] } = await parse(sql);
  const isOwned: IsOwned = (table) => ofOrganizations.has(table as string);
  return [...new Set(faultsIn(stmts, new Map(), isOwned))];
}

function* faultsIn(tree: unknown, outer: Names, isOwned: IsOwned): Iterable<string> {
  if (typeof tree !== 'object' || tree === null) return;
  for (const [kind, part] of Object.entries(tree as Node)) {
    if (kind === 'GroupingSet') yield 'groups all organizations by GROUPING SETS, CUBE or ROLLUP';
    if (kind === 'withClause' && (part as Node).recursive)
      yield 'is recursive over all organizations';
    if (kind !== 'SelectStmt') yield* faultsIn(part, outer, isOwned);
    else yield* faultsOfQuery(part as Node, outer, isOwned);
  }
}

function* faultsOfQuery(query: Node, outer: Names, isOwned: IsOwned): Iterable<string> {
  const from = listOf(query.fromClause);
  const names = namesIn(from, isOwned);
  const owned = [...names].filter(([, is]) => is).map(([name]) => name);
  const links = linksIn(query, from);
  if (owned.length > 1 && !areLinked(owned, links) && !areJoinedByName(from))
    yield 'joins tables of all organizations by other columns than the organization';
  const isOfEach = namesUsedIn(query).some((name) => outer.has(name) && !names.has(name));
  const isLinked = links.some(([one, other]) => {
    return (names.get(one) && outer.get(other)) || (names.get(other) && outer.get(one));
  });
  if (owned.length > 0 && isOfEach && !isLinked)
    yield 'has a sub-query for each row that is not of its organization';
  yield* faultsIn(query, new Map([...outer, ...names]), isOwned);
}

function namesIn(from: readonly Node[], isOwned: IsOwned): Names {
  const tables = tablesIn(from).map((table) => [nameOf(table), isOwned(table.relname)] as const);
  const others = from.flatMap(aliasesIn).map((name) => [name, false] as const);
  return new Map([...others, ...tables]);
}

/** Returns the names of queries and functions in FROM. */
function aliasesIn(item: Node): readonly string[] {
  const { JoinExpr, RangeSubselect, RangeFunction } = item as Record<string, Node | undefined>;
  if (JoinExpr) return [JoinExpr.larg, JoinExpr.rarg].flatMap((each) => aliasesIn(each as Node));
  const alias = (RangeSubselect ?? RangeFunction)?.alias as Node | undefined;
  return alias ? [alias.aliasname as string] : [];
}

/** Returns the pairs of names whose organizations the query compares. */
function linksIn(query: Node, from: readonly Node[]): readonly (readonly [string, string])[] {
  const conditions = [...conditionsOf(query.whereClause), ...from.flatMap(joinsOf)];
  return conditions.flatMap(({ sides }) => {
    const [one, other] = sides.map(fieldsOf);
    const areOrganizations = [one, other].every((fields) => fields?.at(-1) === 'organization_id');
    return areOrganizations ? [[one?.at(-2) ?? '', other?.at(-2) ?? ''] as const] : [];
  });
}

function areLinked(names: readonly string[], links: readonly (readonly [string, string])[]) {
  const linked = new Set(names.slice(0, 1));
  for (const _ of names)
    for (const [one, other] of links)
      if (linked.has(one) || linked.has(other)) linked.add(one).add(other);
  return names.every((name) => linked.has(name));
}

function areJoinedByName(from: readonly Node[]): boolean {
  return JSON.stringify(from).includes('"usingClause":[{"String":{"sval":"organization_id"');
}

/** Returns the names that stand before columns, in the queries within this one too. */
function namesUsedIn(tree: unknown): readonly string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const fields = fieldsOf(tree);
  return fields ? fields.slice(-2, -1) : Object.values(tree).flatMap(namesUsedIn);
}
