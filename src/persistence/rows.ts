/** Finds rows of organizations by their keys, and in pages that follow the order of their IDs. */
import type { FindOperator, ObjectLiteral } from 'typeorm';
import type { Caller, ListedOwner, Mode } from '../shared/caller.js';
import { createdRange, uuidOf } from '../shared/id.js';
import { type CreatedPageRequest, type Page, pageOf } from '../shared/page.js';
import type { Database } from './database.js';

interface Identified extends ObjectLiteral {
  readonly id: string;
}

interface Owned extends Identified {
  readonly organizationId: string;
  readonly mode: Mode;
}

export function scopeOf({ organization, mode }: Caller): Pick<Owned, 'organizationId' | 'mode'> {
  return { organizationId: uuidOf(organization), mode };
}

export function keyOf(caller: Caller, id: string): Pick<Owned, 'organizationId' | 'mode' | 'id'> {
  return { ...scopeOf(caller), id: uuidOf(id) };
}

/**
 * This SQL tells when the row was created by the clock of its organization, in Unix seconds. It
 * computes the same from the ID as `createdAt` does.
 */
const CREATED = `CASE WHEN substr(id::text, 16, 1) < '8'
  THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000
  ELSE ('x' || right(id::text, 8))::bit(32)::bigint END`;

/**
 * Returns SQL that tells whether the row was created in the last two values of `createdRange`. They
 * are null unless a clock was moved.
 */
export function createdBetween(from: string, to: string): string {
  // PostgreSQL expects so few rows of an OR that sorting all rows of an organization seems as cheap
  // as reading its index. A CASE avoids that.
  const isWithin = `${CREATED} >= ${from} AND ${CREATED} < ${to}::bigint`;
  return `CASE WHEN ${from}::bigint IS NULL THEN true ELSE ${isWithin} END`;
}

/** These are the bounds of a page in the order of IDs. */
export interface Keyset {
  readonly low: string;
  readonly high: string;
  /** The two bounds are null unless a clock was moved (`createdBetween`). */
  readonly from: number | null;
  readonly to: number | null;
}

const NO_BOUNDS = { from: undefined, to: undefined, cursor: undefined };

/**
 * Returns the bounds of a page. `ahead` is in milliseconds: the clock of the caller is ahead of
 * real time by this much.
 */
export function keysetOf(
  page: Partial<CreatedPageRequest>,
  ahead: number,
  order: 'asc' | 'desc' = 'desc',
): Keyset {
  const [low, high, from, to] = createdRange({ ...NO_BOUNDS, ...page, order }, ahead);
  return { low, high, from, to };
}

interface Listed<Row> {
  /** A queue reads tables that have no mode. */
  readonly owner: ListedOwner | Queue;
  readonly where: {
    readonly [Property in keyof Row]?: Row[Property] | FindOperator<string> | undefined;
  };
  /** A page without a limit has all rows. */
  readonly page: Partial<CreatedPageRequest>;
  readonly order?: 'asc' | 'desc';
  /** The owner's clock is ahead of real time by this many milliseconds. */
  readonly ahead?: number;
  /** This is SQL as in the partial index that the planner must see to use, with its parameters. */
  readonly only?: readonly [sql: string, parameters?: ObjectLiteral];
  /**
   * This is true if at most one row has these values. The rows are not sorted then, because the
   * planner would look for the one row in the order of IDs.
   */
  readonly isOne?: boolean;
}

interface Queue {
  readonly queue: string;
}

/**
 * Returns a page of rows in the order of their IDs. The page begins after a key (a keyset), so that
 * its cost does not grow with its place in the list.
 */
export async function pageOfRows<Row extends Identified, Item>(
  database: Database,
  record: new () => Row,
  listed: Listed<Row>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const { owner, where, page, order = 'desc', ahead = 0, only, isOne = false } = listed;
  const conditions = Object.entries(where).filter(([, value]) => value !== undefined);
  const { low, high, from, to } = keysetOf(page, ahead, order);
  const { reader, scope, isOfAll } = scoped(owner);
  const found = await database.reading(reader, (manager) => {
    const query = manager
      .createQueryBuilder(record, 'row')
      .where({ ...scope, ...Object.fromEntries(conditions) });
    // No ID is the smallest one of its instant, so an ascending page may leave out its first value.
    const after = order === 'asc' ? '>' : '>=';
    query.andWhere(`row.id ${after} :low AND row.id < :high`, { low, high });
    if (only !== undefined) query.andWhere(...only);
    if (from !== null) query.andWhere(createdBetween(':from', ':to'), { from, to });
    if (isOfAll) query.comment('every organization: the ledger lists the rows of all');
    if (isOne) return query.getMany();
    query.orderBy('row.id', order === 'asc' ? 'ASC' : 'DESC');
    if (page.limit !== undefined) query.limit(page.limit + 1);
    return query.getMany();
  });
  return pageOf(found.map(itemOf), page.limit);
}

/**
 * Returns the owner whose share of the database the list uses, and the columns that all its rows
 * share.
 */
function scoped(owner: Listed<unknown>['owner']) {
  if ('queue' in owner) return { reader: owner, scope: {}, isOfAll: false };
  const { organization, mode } = owner;
  const scope = organization === undefined ? { mode } : scopeOf({ organization, mode });
  const isOfAll = organization === undefined;
  return { reader: isOfAll ? { mode } : owner, scope, isOfAll };
}
