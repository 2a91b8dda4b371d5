import type { Statement } from './statement.js';

interface LedgerList {
  readonly table: string;
  readonly columns: string;
  readonly filters: readonly string[];
  /** Those of which a value has few rows. They are found before they are sorted. */
  readonly few: readonly string[];
  readonly order: 'asc' | 'desc';
}

type Statements = Readonly<Record<string, Statement>>;

const subsets = ([first, ...rest]: readonly string[]): string[][] =>
  first === undefined ? [[]] : subsets(rest).flatMap((set) => [set, [first, ...set]]);
const keyOf = (names: readonly string[]) => [...names].sort().join(' ');

/** The statements of a list of all organizations' rows: one for each combination of filters, so that each has a plan of its own. */
export function ledgerLists({ table, columns, filters, few, order }: LedgerList): Statements {
  const select = `SELECT organization_id AS organization, ${columns} FROM ${table} WHERE mode = $1`;
  // No ID is the smallest of its instant, so an ascending page may leave out its first value.
  const page = `id ${order === 'asc' ? '>' : '>='} $2 AND id < $3 ORDER BY id ${order} LIMIT $4`;
  const statementOf = (names: readonly string[]): Statement => {
    const name = `${table}.ledger ${keyOf(names)}`.trim();
    const reason = names.includes('organization_id') ? '' : '/* every organization: the ledger lists those of all */ ';
    const conditions = keyOf(names).split(' ').filter(Boolean);
    const filtered = [select, ...conditions.map((column, place) => `${column} = $${place + 5}`)].join(' AND ');
    if (!names.some((column) => few.includes(column))) return { name, text: `${reason}${filtered} AND ${page}` };
    return { name, text: `${reason}WITH found AS MATERIALIZED (${filtered}) SELECT * FROM found WHERE ${page}` };
  };
  return Object.fromEntries(subsets(filters).map((names) => [keyOf(names), statementOf(names)]));
}

/** The statement for the filters that are given, and their values, which come after those of the page. */
export function listFor(lists: Statements, filters: Readonly<Record<string, string | undefined>>) {
  const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
  return { statement: lists[keyOf(names)] as Statement, values: names.sort().map((name) => filters[name]) };
}
