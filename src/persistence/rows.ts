/** Rows of organizations through TypeORM: their keys, and pages of them in the order of their IDs. */
import type { ObjectLiteral } from 'typeorm';
import type { Caller, Ledger, Mode } from '../shared/caller.js';
import { createdRange, uuidOf } from '../shared/id.js';
import { type CreatedPageRequest, type Page, pageOf } from '../shared/page.js';
import { createdBetween } from './created.js';
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

interface Listed<Row> {
  /** Without an organization, the rows of all: a ledger lists them. */
  readonly owner: Ledger & { readonly organization?: string | undefined };
  readonly where: { readonly [Property in keyof Row]?: Row[Property] | undefined };
  readonly page: CreatedPageRequest;
  readonly order?: 'asc' | 'desc';
  /** How far the owner's clock is ahead of real time, in milliseconds. */
  readonly ahead?: number;
  /** Whether at most one row has these values. It is not sorted, because the planner would look for it in the order of IDs. */
  readonly isOne?: boolean;
}

export async function pageOfRows<Row extends Owned, Item>(
  database: Database,
  record: new () => Row,
  { owner, where, page, order = 'desc', ahead = 0, isOne = false }: Listed<Row>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const { organization, mode } = owner;
  const scope = organization === undefined ? { mode } : scopeOf({ organization, mode });
  const conditions = Object.entries(where).filter(([, value]) => value !== undefined);
  const [low, high, from, to] = createdRange({ ...page, order }, ahead);
  const found = await database.reading(organization === undefined ? { mode } : { organization, mode }, (manager) => {
    const query = manager.createQueryBuilder(record, 'row').where({ ...scope, ...Object.fromEntries(conditions) });
    // No ID is the smallest of its instant, so an ascending page may leave out its first value.
    query.andWhere(`row.id ${order === 'asc' ? '>' : '>='} :low AND row.id < :high`, { low, high });
    if (from !== null) query.andWhere(createdBetween(':from', ':to'), { from, to });
    if (organization === undefined) query.comment('every organization: the ledger lists the rows of all');
    if (!isOne) query.orderBy('row.id', order === 'asc' ? 'ASC' : 'DESC').limit(page.limit + 1);
    return query.getMany();
  });
  return pageOf(found.map(itemOf), page.limit);
}
