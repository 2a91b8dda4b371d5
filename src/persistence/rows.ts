/** Rows of organizations: their keys, and pages of them in the order of their IDs. */
import type { ObjectLiteral } from 'typeorm';
import type { Caller, Ledger, Mode } from '../shared/caller.js';
import { createdRange, uuidOf } from '../shared/id.js';
import { type CreatedPageRequest, type Page, pageOf } from '../shared/page.js';
import type { Database } from './database.js';

interface Owned extends ObjectLiteral {
  readonly organizationId: string;
  readonly mode: Mode;
  readonly id: string;
}

export function scopeOf({ organization, mode }: Caller): Pick<Owned, 'organizationId' | 'mode'> {
  return { organizationId: uuidOf(organization), mode };
}

export function keyOf(caller: Caller, id: string): Pick<Owned, 'organizationId' | 'mode' | 'id'> {
  return { ...scopeOf(caller), id: uuidOf(id) };
}

/** When the row was created by the clock of its organization, in Unix seconds, as `createdAt` computes it from the ID. */
const CREATED = `CASE WHEN substr(id::text, 16, 1) < '8'
  THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000
  ELSE ('x' || right(id::text, 8))::bit(32)::bigint END`;

/** SQL: whether the row was created in the last two values of `createdRange`, which are null unless a clock was moved. */
export function createdBetween(from: string, to: string): string {
  // Of an OR, PostgreSQL expects so few rows that to sort all of an organization's seems as cheap as to read its index.
  return `CASE WHEN ${from}::bigint IS NULL THEN true ELSE ${CREATED} >= ${from} AND ${CREATED} < ${to}::bigint END`;
}

interface Listed<Row> {
  /** Without an organization, the rows of all: a ledger lists them. */
  readonly owner: Ledger & { readonly organization?: string | undefined };
  readonly where: { readonly [Property in keyof Row]?: Row[Property] | undefined };
  readonly page: CreatedPageRequest;
  readonly order?: 'asc' | 'desc';
  /** How far the owner's clock is ahead of real time, in milliseconds. */
  readonly ahead?: number;
  /** SQL as in the partial index that the planner must see to use, with its parameters. */
  readonly only?: readonly [sql: string, parameters?: ObjectLiteral];
  /** Whether at most one row has these values. It is not sorted, because the planner would look for it in the order of IDs. */
  readonly isOne?: boolean;
}

export async function pageOfRows<Row extends Owned, Item>(
  database: Database,
  record: new () => Row,
  { owner, where, page, order = 'desc', ahead = 0, only, isOne = false }: Listed<Row>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const { organization, mode } = owner;
  const scope = organization === undefined ? { mode } : scopeOf({ organization, mode });
  const conditions = Object.entries(where).filter(([, value]) => value !== undefined);
  const [low, high, from, to] = createdRange({ ...page, order }, ahead);
  const found = await database.reading(
    organization === undefined ? { mode } : { organization, mode },
    (manager) => {
      const query = manager
        .createQueryBuilder(record, 'row')
        .where({ ...scope, ...Object.fromEntries(conditions) });
      // No ID is the smallest of its instant, so an ascending page may leave out its first value.
      query.andWhere(`row.id ${order === 'asc' ? '>' : '>='} :low AND row.id < :high`, {
        low,
        high,
      });
      if (only !== undefined) query.andWhere(...only);
      if (from !== null) query.andWhere(createdBetween(':from', ':to'), { from, to });
      if (organization === undefined)
        query.comment('every organization: the ledger lists the rows of all');
      if (!isOne) query.orderBy('row.id', order === 'asc' ? 'ASC' : 'DESC').limit(page.limit + 1);
      return query.getMany();
    },
  );
  return pageOf(found.map(itemOf), page.limit);
}
