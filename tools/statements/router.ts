/**
 * Finds what Citus refuses about a write, as far as the text shows it: the machine that was asked
 * evaluates the functions of a write before another machine runs it. The rules come from
 * planner/multi_router_planner.c in Citus 13 and 14.
 */
import { IMMUTABLE, STABLE } from './functions.js';
import { isMutable, type Part } from './mutable.js';
import { changes, lastOf, type Node, namesIn } from './tree.js';

/** Returns one line for each rule that the statement breaks. */
export function refusedByRouter(
  statement: unknown,
  ofOrganizations: ReadonlySet<string>,
): readonly string[] {
  if (!changes(statement)) return [];
  const parts = partsOf(statement);
  const faults = parts.flatMap(([kind, part]) => {
    if (kind === 'UpdateStmt' || kind === 'DeleteStmt')
      return [...faultsOfChange(part, ofOrganizations)];
    return kind === 'InsertStmt' ? [...faultsOfInsert(part)] : [];
  });
  for (const name of new Set(parts.filter(isUnknown).map(([, { funcname }]) => lastOf(funcname))))
    faults.push(`calls ${name}, which is VOLATILE or not in tools/statements/functions.ts`);
  if (parts.some(isElement)) faults.push('takes or sets a part of a value in a write');
  return faults;
}

function* faultsOfChange(change: Node, ofOrganizations: ReadonlySet<string>): Iterable<string> {
  const { relation, targetList, whereClause, returningClause } = change;
  const isOnEachMachine = !ofOrganizations.has((relation as Node).relname as string);
  if (isOnEachMachine && namesIn(change).some((name) => ofOrganizations.has(name)))
    yield 'reads a table of organizations to change one that each machine has';
  const evaluated = [...outsideQueries(targetList), ...outsideQueries(whereClause)];
  const isLazy = ([kind]: Part) => kind === 'CaseExpr' || kind === 'CoalesceExpr';
  if (evaluated.filter(isLazy).some(([, part]) => hasMutable(part)))
    yield 'has a function that is not IMMUTABLE in CASE or COALESCE of a write';
  const hasColumn = ([, part]: Part) => outsideQueries(part).some(([kind]) => kind === 'ColumnRef');
  if (evaluated.filter(isMutable).some(hasColumn))
    yield 'gives a column to a function that is not IMMUTABLE in a write';
  yield* faultsOfReturning(returningClause);
}

function* faultsOfInsert({
  selectStmt,
  onConflictClause,
  returningClause,
}: Node): Iterable<string> {
  const { SelectStmt } = (selectStmt ?? {}) as { SelectStmt?: Node };
  const own = partsOf([SelectStmt?.valuesLists, onConflictClause, returningClause]);
  if (own.some(([kind]) => kind === 'SubLink')) yield 'has a sub-query in an INSERT of values';
  if (hasMutable(onConflictClause)) yield 'has a function that is not IMMUTABLE in ON CONFLICT';
  yield* faultsOfReturning(returningClause);
}

function* faultsOfReturning(clause: unknown): Iterable<string> {
  if (hasMutable(clause)) yield 'has a function that is not IMMUTABLE in RETURNING';
}

function hasMutable(tree: unknown): boolean {
  return partsOf(tree).some(isMutable);
}

function isUnknown([kind, { funcname }]: Part): boolean {
  const name = lastOf(funcname);
  return kind === 'FuncCall' && !IMMUTABLE.has(name) && !STABLE.has(name);
}

/**
 * Citus ends the PostgreSQL of the machine where SET assigns an element of an array, such as
 * `($2::text[])[1]`.
 */
function isElement([kind, { indirection }]: Part): boolean {
  return kind === 'A_Indirection' || (kind === 'ResTarget' && indirection !== undefined);
}

function outsideQueries(tree: unknown): readonly Part[] {
  return partsOf(tree, 'subselect');
}

/**
 * Returns every part of the tree below this one, with its kind. The part with the name `without` is
 * left out.
 */
function partsOf(tree: unknown, without?: string): readonly Part[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([kind, part]) => {
    if (kind === without || typeof part !== 'object') return [];
    return [[kind, part as Node] as const, ...partsOf(part, without)];
  });
}
