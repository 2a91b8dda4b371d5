export type Node = Readonly<Record<string, unknown>>;

export const KINDS = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'] as const;

export interface Condition {
  readonly sides: readonly [unknown, unknown];
  /** An outer join binds only the rows that it may leave out. */
  readonly binds?: ReadonlySet<string>;
}

export function changes(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return Object.entries(tree).some(([key, value]) => {
    return (
      key === 'lockingClause' ||
      (KINDS.slice(1) as readonly string[]).includes(key) ||
      changes(value)
    );
  });
}

/** Returns the equalities that hold for each row, which are those joined by AND. */
export function conditionsOf(where: unknown, binds?: ReadonlySet<string>): Condition[] {
  const { BoolExpr: all, A_Expr: compared } = (where ?? {}) as { BoolExpr?: Node; A_Expr?: Node };
  if (all?.boolop === 'AND_EXPR')
    return listOf(all.args).flatMap((each) => conditionsOf(each, binds));
  const operator = listOf(compared?.name).map(stringOf);
  if (compared?.kind !== 'AEXPR_OP' || operator.join() !== '=') return [];
  return [{ sides: [compared.lexpr, compared.rexpr], ...(binds && { binds }) }];
}

export function joinsOf(item: Node): Condition[] {
  const { JoinExpr: join } = item as { JoinExpr?: Node };
  if (!join) return [];
  const [left, right] = [join.larg, join.rarg] as [Node, Node];
  const inner = [...joinsOf(left), ...joinsOf(right)];
  if (join.jointype === 'JOIN_INNER') return [...inner, ...conditionsOf(join.quals)];
  const optional = { JOIN_LEFT: right, JOIN_RIGHT: left }[join.jointype as string];
  return [...inner, ...conditionsOf(join.quals, new Set(tablesIn(optional).map(nameOf)))];
}

export function nameOf({ alias, relname }: Node): string {
  return ((alias as Node | undefined)?.aliasname ?? relname) as string;
}

export function tablesIn(tree: unknown): readonly Node[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    if (key === 'RangeVar') return [value as Node];
    return (KINDS as readonly string[]).includes(key) ? [] : tablesIn(value);
  });
}

/** Returns the names of all tables below, those of queries too. */
export function namesIn(tree: unknown): readonly string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) =>
    key === 'RangeVar' || key === 'relation' ? [(value as Node).relname as string] : namesIn(value),
  );
}

export function subqueriesIn(tree: unknown): readonly Node[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) =>
    key === 'RangeSubselect' ? [value as Node] : subqueriesIn(value),
  );
}

export function fieldsOf(expression: unknown): readonly string[] | undefined {
  const { ColumnRef: column } = (expression ?? {}) as { ColumnRef?: Node };
  return column && listOf(column.fields).map(stringOf);
}

/** Returns the last of the names, which has no schema before it. */
export function lastOf(names: unknown): unknown {
  return (listOf(names).at(-1)?.String as Node | undefined)?.sval;
}

function stringOf({ String: string }: Node): string {
  return (string as Node | undefined)?.sval as string;
}

export function parameterOf(expression: unknown): number | undefined {
  const { ParamRef, TypeCast } = (expression ?? {}) as { ParamRef?: Node; TypeCast?: Node };
  return TypeCast ? parameterOf(TypeCast.arg) : (ParamRef?.number as number | undefined);
}

export function targetsOf({ relation, cols, targetList, onConflictClause }: Node): unknown[] {
  const set =
    relation && !cols
      ? listOf(targetList)
      : listOf((onConflictClause as Node | undefined)?.targetList);
  return set.map(({ ResTarget }) => (ResTarget as Node).name);
}

export function listOf(list: unknown): readonly Node[] {
  return (list as readonly Node[] | undefined) ?? [];
}
