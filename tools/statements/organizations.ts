/**
 * Only the conditions of each statement keep organizations apart. Here PostgreSQL's own parser
 * reads a statement, and each table of organizations in it must be bound to the organization that
 * the statement names, in its own WHERE or join.
 */
import { parse } from 'libpg-query';
import { refusedByRouter } from './router.js';
import {
  type Condition,
  changes,
  conditionsOf,
  fieldsOf,
  joinsOf,
  KINDS,
  listOf,
  type Node,
  nameOf,
  parameterOf,
  subqueriesIn,
  tablesIn,
  targetsOf,
} from './tree.js';

interface Query {
  readonly tables: ReadonlyMap<string, string>;
  readonly bound: Set<string>;
  readonly outer: Query | undefined;
}

const ORGANIZATION = 'organization_id';
/** An input of the statement that stands in FROM. */
const GIVEN = '(input)';
/**
 * A statement that reads the rows of all organizations begins with this comment, which gives the
 * reason.
 */
export const FOR_ALL = /^\s*\/\* every organization: \S.{15,}? \*\//s;

/**
 * Returns the faults of the statement: one line for each table that it does not bind to its
 * organization.
 */
export async function faultsOf(
  sql: string,
  tables: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { stmts = [] } = await parse(sql);
  if (FOR_ALL.test(sql))
    return changes(stmts) ? ['changes or locks rows of all organizations'] : [];
  const reading = new Reading(tables);
  for (const { stmt = {} } of stmts) {
    if (!KINDS.some((kind) => kind in stmt)) reading.faults.push('is no query');
    reading.visit(stmt, undefined, new Set());
  }
  if (reading.parameters.size > 1) reading.faults.push('names more than one organization');
  return [...reading.faults, ...refusedByRouter(stmts, tables)];
}

class Reading {
  readonly faults: string[] = [];
  readonly parameters = new Set<number>();
  /**
   * Finds the queries in WITH and FROM that give the organization of the statement, as its input
   * does.
   */
  private readonly inputs = new Set([GIVEN]);

  constructor(private readonly ofOrganizations: ReadonlySet<string>) {}

  visit(tree: unknown, outer: Query | undefined, ctes: ReadonlySet<string>): void {
    if (typeof tree !== 'object' || tree === null) return;
    for (const [key, value] of Object.entries(tree)) {
      if ((KINDS as readonly string[]).includes(key)) this.query(key, value as Node, outer, ctes);
      else this.visit(value, outer, ctes);
    }
  }

  private query(
    kind: string,
    query: Node,
    outer: Query | undefined,
    outside: ReadonlySet<string>,
  ): void {
    const { withClause, ...rest } = query;
    const ctes = this.commonTables(withClause as Node | undefined, outer, outside);
    if (kind === 'MergeStmt') this.faults.push('is a MERGE, which this check does not read');
    if (query.op !== undefined && query.op !== 'SETOP_NONE') {
      for (const arm of [query.larg, query.rarg]) this.query(kind, arm as Node, outer, ctes);
      return;
    }
    const changed = kind === 'SelectStmt' ? [] : [{ RangeVar: query.relation }];
    const from = [...changed, ...listOf(query.fromClause), ...listOf(query.usingClause)];
    const own: Query = {
      tables: new Map(from.flatMap((each) => this.named(each, ctes))),
      bound: new Set(),
      outer,
    };
    if (kind === 'InsertStmt') this.insert(query, own, ctes);
    else this.bind(own, [...conditionsOf(query.whereClause), ...from.flatMap(joinsOf)]);
    if (targetsOf(query).includes(ORGANIZATION))
      this.faults.push('moves a row to another organization');
    for (const [name, table] of own.tables) if (!own.bound.has(name)) this.faults.push(table);
    // The conditions of the INSERT are those of its SELECT, which is a query of its own.
    this.visit(rest, own, ctes);
  }

  private commonTables(
    clause: Node | undefined,
    outer: Query | undefined,
    outside: ReadonlySet<string>,
  ) {
    const names = new Set(outside);
    for (const { CommonTableExpr } of listOf(clause?.ctes)) {
      const { ctename, ctequery } = CommonTableExpr as Node;
      // A query sees its own name instead of the table only in WITH RECURSIVE.
      if (clause?.recursive) names.add(ctename as string);
      this.visit(ctequery, outer, names);
      if (this.isInput(ctequery as Node)) this.inputs.add(ctename as string);
      names.add(ctename as string);
    }
    return names;
  }

  private isInput({ SelectStmt: query }: Node): boolean {
    const { targetList, fromClause } = (query ?? {}) as Node;
    const given = listOf(targetList).map(({ ResTarget }) => ResTarget as Node);
    const organization = given.find(({ name }) => name === ORGANIZATION);
    return fromClause === undefined && parameterOf(organization?.val) !== undefined;
  }

  private named(item: unknown, ctes: ReadonlySet<string>): [string, string][] {
    const isTable = ({ schemaname, relname }: Node) => {
      const isQuery = schemaname === undefined && ctes.has(relname as string);
      return (isQuery ? this.inputs : this.ofOrganizations).has(relname as string);
    };
    const tables = tablesIn(item).filter(isTable);
    const given = subqueriesIn(item).filter(({ subquery }) => this.isInput(subquery as Node));
    return [
      ...tables.map((table): [string, string] => [nameOf(table), table.relname as string]),
      ...given.map((input): [string, string] => [nameOf(input), GIVEN]),
    ];
  }

  /**
   * Binds each column that is compared with a parameter, and then, step by step, each column that
   * is compared with a bound one.
   */
  private bind(own: Query, conditions: readonly Condition[]): void {
    for (const [name, table] of own.tables) if (this.inputs.has(table)) own.bound.add(name);
    let before: number;
    do {
      before = own.bound.size;
      for (const { sides, binds } of conditions) {
        for (const [one, other] of [sides, sides.toReversed()] as [unknown, unknown][]) {
          const name = this.organizationOf(one, own);
          const isBindable =
            name !== undefined && own.tables.has(name) && (!binds || binds.has(name));
          if (isBindable && this.isOrganization(other, own)) own.bound.add(name);
        }
      }
    } while (own.bound.size > before);
  }

  /**
   * Tells whether the expression is the organization: its parameter, or the column of a bound
   * table.
   */
  private isOrganization(expression: unknown, query: Query): boolean {
    const parameter = parameterOf(expression);
    if (parameter !== undefined) this.parameters.add(parameter);
    if (parameter !== undefined) return true;
    const fields = fieldsOf(expression);
    if (fields?.at(-1) !== ORGANIZATION) return false;
    for (let at: Query | undefined = query; at; at = at.outer) {
      const name = nameIn(at, fields);
      if (name === undefined) continue;
      // Citus cannot run a sub-query for each row of a WITH query.
      if (at !== query && this.inputs.has(at.tables.get(name) as string)) return false;
      return at.bound.has(name);
    }
    return false;
  }

  private organizationOf(expression: unknown, query: Query): string | undefined {
    const fields = fieldsOf(expression);
    return fields?.at(-1) === ORGANIZATION ? nameIn(query, fields) : undefined;
  }

  /**
   * A new row takes the organization's parameter, or the column of a row that is bound. A conflict
   * is with a row of the same key.
   */
  private insert(query: Node, own: Query, ctes: ReadonlySet<string>): void {
    const place = listOf(query.cols).findIndex(
      ({ ResTarget }) => (ResTarget as Node).name === ORGANIZATION,
    );
    const source = (query.selectStmt as { SelectStmt?: Node } | undefined)?.SelectStmt;
    const isBound = place >= 0 && source !== undefined && this.gives(source, place, ctes);
    if (isBound) for (const name of [...own.tables.keys()]) own.bound.add(name);
  }

  private gives(source: Node, place: number, ctes: ReadonlySet<string>): boolean {
    // Citus inserts from one query, not from a union.
    if (source.op !== 'SETOP_NONE') return false;
    const from = listOf(source.fromClause);
    const query = {
      tables: new Map(from.flatMap((each) => this.named(each, ctes))),
      bound: new Set<string>(),
    };
    const selected: Query = { ...query, outer: undefined };
    this.bind(selected, [...conditionsOf(source.whereClause), ...from.flatMap(joinsOf)]);
    const rows = source.valuesLists
      ? listOf(source.valuesLists).map(({ List }) => listOf((List as Node).items)[place])
      : [(listOf(source.targetList)[place]?.ResTarget as Node | undefined)?.val];
    return rows.every((value) => this.isOrganization(value, selected));
  }
}

/**
 * Finds the table of a column. A column without a table belongs to the only table that can have it.
 */
function nameIn({ tables }: Query, fields: readonly string[]): string | undefined {
  if (fields.length === 1) return tables.size === 1 ? [...tables.keys()][0] : undefined;
  const name = fields.at(-2) as string;
  return tables.has(name) ? name : undefined;
}
