/** How a ledger reads the rows of a table, of all organizations. */
import type { Caller, Ledger } from '../../shared/caller.js';
import { notFound } from '../../shared/errors.js';
import { idOf, idRange, ORGANIZATION_ID, uuidOf } from '../../shared/id.js';
import { type CreatedPageRequest, type Page, pageOf } from '../../shared/page.js';
import type { Database } from './database.js';
import type { Statement } from './statement.js';

interface LedgerTable {
  readonly table: string;
  readonly columns: string;
  /** The columns by which lists are filtered, besides the organization. */
  readonly filters: readonly string[];
  /** Those of which a value has few rows. They are found before they are sorted. */
  readonly few: readonly string[];
  readonly order: 'asc' | 'desc';
}

type LedgerStatements = ReturnType<typeof ledgerStatements>;

/** Whose the row of an ID is. */
export const ownerIn = (table: string): Statement => ({
  name: `${table}.owner`,
  text: `/* every organization: a resource of the ledger is of any of them */
    SELECT organization_id AS organization FROM ${table} WHERE mode = $1 AND id = $2`,
});

/** One list for each combination of filters, so that each has a plan of its own. */
export function ledgerStatements({ table, columns, filters, few, order }: LedgerTable) {
  const select = `SELECT organization_id AS organization, ${columns} FROM ${table} WHERE mode = $1`;
  // No ID is the smallest of its instant, so an ascending page may leave out its first value.
  const page = `id ${order === 'asc' ? '>' : '>='} $2 AND id < $3 ORDER BY id ${order} LIMIT $4`;
  const listBy = (names: readonly string[]): Statement => {
    const name = `${table}.ledger ${keyOf(names)}`.trim();
    const reason = names.includes('organization_id') ? '' : '/* every organization: the ledger lists those of all */ ';
    const conditions = keyOf(names).split(' ').filter(Boolean);
    const filtered = [select, ...conditions.map((column, place) => `${column} = $${place + 5}`)].join(' AND ');
    if (!names.some((column) => few.includes(column))) return { name, text: `${reason}${filtered} AND ${page}` };
    return { name, text: `${reason}WITH found AS MATERIALIZED (${filtered}) SELECT * FROM found WHERE ${page}` };
  };
  const lists = subsets([...filters, 'organization_id']).map((names) => [keyOf(names), listBy(names)]);
  return { owner: ownerIn(table), lists: Object.fromEntries(lists) as Statements, order };
}

type Statements = Readonly<Record<string, Statement>>;
const subsets = ([first, ...rest]: readonly string[]): string[][] =>
  first === undefined ? [[]] : subsets(rest).flatMap((set) => [set, [first, ...set]]);
const keyOf = (names: readonly string[]) => [...names].sort().join(' ');

interface Asked {
  readonly ledger: Ledger;
  readonly id: string;
  readonly organization: string | null | undefined;
}

/** Whose a resource of the ledger's mode is, as the caller that may change it: looked up, unless the ledger says it. Refuses with not_found. */
export async function findOwner(
  database: Database,
  { owner }: Pick<LedgerStatements, 'owner'>,
  asked: Asked,
): Promise<Caller> {
  const { ledger, id, organization } = asked;
  if (organization) return { organization, ...ledger };
  const [row] = await database.read<Pick<Caller, 'organization'>>(ledger, owner, [ledger.mode, uuidOf(id)]);
  if (!row) throw notFound('id');
  return { organization: idOf(ORGANIZATION_ID, row.organization), ...ledger };
}

interface Listed {
  readonly ledger: Ledger;
  readonly filter: CreatedPageRequest & { readonly organization: string | undefined };
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** A page of items, each made from a row and the ID of its organization. */
export async function pageOfAll<Row extends object, Item>(
  database: Database,
  { lists, order }: LedgerStatements,
  { ledger, filter, values }: Listed,
  itemOf: (row: Row, organization: string) => Item,
): Promise<Page<Item>> {
  const { organization, limit } = filter;
  const given: typeof values = { ...values, organization_id: organization && uuidOf(organization) };
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  const rows = await database.read<Row & { organization: string }>(
    organization === undefined ? ledger : { organization, ...ledger },
    lists[keyOf(names)] as Statement,
    [ledger.mode, ...idRange({ ...filter, order }), limit + 1, ...names.sort().map((name) => given[name])],
  );
  const items = rows.map(({ organization, ...row }) => itemOf(row as Row, idOf(ORGANIZATION_ID, organization)));
  return pageOf(items, limit);
}
