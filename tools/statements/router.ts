/**
 * Finds what Citus refuses about a write, as far as the text shows it: the machine that was asked
 * evaluates the functions of a write before another machine runs it. The rules come from
 * planner/multi_router_planner.c in Citus 14.
 */
import { changes, listOf, type Node } from './tree.js';

type Part = readonly [kind: string, part: Node];

/**
 * PostgreSQL marks these functions IMMUTABLE. Look at `provolatile` in pg_proc before you add one.
 */
const IMMUTABLE: ReadonlySet<unknown> = new Set([
  ...['count', 'left', 'length', 'lower', 'make_interval', 'max', 'min', 'num_nonnulls'],
  ...['octet_length', 'replace', 'right', 'substr', 'sum', 'timezone', 'to_timestamp', 'unnest'],
  'upper',
]);
/** The result of these functions differs from call to call. */
const VOLATILE: ReadonlySet<unknown> = new Set([
  ...['clock_timestamp', 'timeofday', 'random', 'random_normal', 'gen_random_uuid', 'uuidv4'],
  ...['uuidv7', 'nextval', 'setval', 'set_config', 'pg_sleep', 'pg_advisory_xact_lock'],
]);

/** Returns one line for each rule that the statement breaks. */
export function refusedByRouter(statement: unknown): readonly string[] {
  if (!changes(statement)) return [];
  const parts = partsOf(statement);
  const faults = parts.flatMap(([kind, part]) => {
    if (kind === 'UpdateStmt' || kind === 'DeleteStmt') return [...faultsOfChange(part)];
    return kind === 'InsertStmt' ? [...faultsOfInsert(part)] : [];
  });
  if (parts.some(isVolatile)) faults.push('writes what differs by machine');
  // `($2::text[])[1]` is such an expression. Citus ends the PostgreSQL of the machine where SET
  // assigns one.
  if (parts.some(([kind]) => kind === 'A_Indirection'))
    faults.push('takes an element of an array in a write');
  return faults;
}

function* faultsOfChange({ targetList, whereClause, returningClause }: Node): Iterable<string> {
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

function isMutable([kind, part]: Part): boolean {
  if (kind === 'FuncCall') return !IMMUTABLE.has(lastOf(part.funcname));
  if (kind === 'A_Expr') return isTimeInZone(part);
  // CURRENT_TIMESTAMP is such an expression.
  return kind === 'SQLValueFunction';
}

/** The sum of a time and an interval depends on the time zone, unless `AT TIME ZONE` names one. */
function isTimeInZone({ name, lexpr, rexpr }: Node): boolean {
  const isSum = lastOf(name) === '+' || lastOf(name) === '-';
  const [time, interval] = isInterval(lexpr) ? [rexpr, lexpr] : [lexpr, rexpr];
  return isSum && isInterval(interval) && functionOf(time) !== 'timezone';
}

function isVolatile([kind, part]: Part): boolean {
  return kind === 'FuncCall' && VOLATILE.has(lastOf(part.funcname));
}

function isInterval(expression: unknown): boolean {
  const { TypeCast } = (expression ?? {}) as { TypeCast?: Node };
  const type = TypeCast?.typeName as Node | undefined;
  return functionOf(expression) === 'make_interval' || lastOf(type?.names) === 'interval';
}

function functionOf(expression: unknown): unknown {
  const { FuncCall } = (expression ?? {}) as { FuncCall?: Node };
  return lastOf(FuncCall?.funcname);
}

function lastOf(names: unknown): unknown {
  return (listOf(names).at(-1)?.String as Node | undefined)?.sval;
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
