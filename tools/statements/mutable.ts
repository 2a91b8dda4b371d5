/**
 * Finds the parts of an expression whose result depends on more than their arguments: on the time,
 * or on a setting of the session.
 */
import { isOfSession, isShownAsText, typesOf } from './columns.js';
import { CLOCKS, IMMUTABLE } from './functions.js';
import { fieldsOf, lastOf, type Node } from './tree.js';

export type Part = readonly [kind: string, part: Node];

/** Tells whether the part itself is not IMMUTABLE, whatever stands within it. */
export function isMutable([kind, part]: Part): boolean {
  if (kind === 'FuncCall') return !IMMUTABLE.has(lastOf(part.funcname));
  if (kind === 'A_Expr') return isOfTimeZone(part) || isJoinedWithText(part);
  if (kind === 'TypeCast') return isCastOfSession(part);
  // CURRENT_TIMESTAMP is such an expression.
  return kind === 'SQLValueFunction';
}

/**
 * The sum of a time and an interval depends on the time zone, unless `AT TIME ZONE` names one. So
 * does what is before or after a date.
 */
function isOfTimeZone({ name, lexpr, rexpr }: Node): boolean {
  const operator = lastOf(name) as string;
  const areSides = (one: (side: unknown) => boolean, other: (side: unknown) => boolean) =>
    (one(lexpr) && other(rexpr)) || (one(rexpr) && other(lexpr));
  if (['+', '-'].includes(operator))
    return areSides(isInterval, (side) => !isInterval(side) && functionOf(side) !== 'timezone');
  return ['=', '<>', '<', '<=', '>', '>='].includes(operator) && areSides(isDate, isTimeColumn);
}

function isInterval(expression: unknown): boolean {
  const { A_Expr: operation } = (expression ?? {}) as { A_Expr?: Node };
  const sides = [operation?.lexpr, operation?.rexpr];
  const operator = lastOf(operation?.name);
  if (operator === '*' || operator === '/') return sides.some(isInterval);
  // The difference of two times is one.
  if (operator === '-' && !sides.some(isInterval))
    return sides.some((side) => CLOCKS.has(functionOf(side)) || isTimeColumn(side));
  return functionOf(expression) === 'make_interval' || typeOfCast(expression) === 'interval';
}

function isDate(expression: unknown): boolean {
  const { SQLValueFunction } = (expression ?? {}) as { SQLValueFunction?: Node };
  return SQLValueFunction?.op === 'SVFOP_CURRENT_DATE' || typeOfCast(expression) === 'date';
}

function isTimeColumn(expression: unknown): boolean {
  return typesOf(columnOf(expression)).includes('timestamptz');
}

function isJoinedWithText({ name, lexpr, rexpr }: Node): boolean {
  const isShown = (side: unknown) => isShownAsText(columnOf(side));
  return lastOf(name) === '||' && (isShown(lexpr) || isShown(rexpr));
}

/** Tells whether the cast reads or shows a time, or a word of an enumeration. */
function isCastOfSession({ arg, typeName }: Node): boolean {
  const { names, arrayBounds } = typeName as Node;
  const { ParamRef, A_Const } = (arg ?? {}) as { ParamRef?: Node; A_Const?: Node };
  const type = lastOf(names) as string;
  const types = typesOf(columnOf(arg));
  // A parameter has the type already, and a constant is read before the plan is made.
  if (ParamRef || A_Const || arrayBounds || types.includes(type)) return false;
  const isInZone = functionOf(arg) === 'timezone';
  return types.some(isOfSession) || (isOfSession(type) && !isInZone);
}

function typeOfCast(expression: unknown): unknown {
  const { TypeCast } = (expression ?? {}) as { TypeCast?: Node };
  return lastOf((TypeCast?.typeName as Node | undefined)?.names);
}

function columnOf(expression: unknown): string {
  return fieldsOf(expression)?.at(-1) ?? '';
}

function functionOf(expression: unknown): unknown {
  const { FuncCall } = (expression ?? {}) as { FuncCall?: Node };
  return lastOf(FuncCall?.funcname);
}
