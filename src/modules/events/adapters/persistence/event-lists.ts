/** This file has the statements that list events. */

import { LAST_POSITION } from '../../../../persistence/feed-floor.js';
import { createdBetween } from '../../../../persistence/rows.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import type { Order } from '../../application/ports.js';
import { EVENT_COLUMNS } from './event.record.js';

/**
 * The event that makes a page exceed this size is its last one, so a page has at least one event.
 */
const PAGE_BYTES = 1_048_576;

const inPlace = (order: Order): string => `position ${order}, id ${order}`;

/** Cuts the result of a query at PAGE_BYTES. `followed` tells whether more events follow. */
function bounded(query: string, order: string, limit: string, columns = EVENT_COLUMNS): string {
  return `SELECT ${columns}, followed FROM (
      SELECT *,
        sum(octet_length(data)) OVER page - octet_length(data) AS before,
        lead(id) OVER page IS NOT NULL AS followed
      FROM (${query} ORDER BY ${order} LIMIT ${limit}) found
      WINDOW page AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
    ) measured WHERE before < ${PAGE_BYTES} ORDER BY ${order}`;
}

/**
 * This is a page of an organization's events: beyond the IDs `low` and `high`, made in real time
 * between the IDs `first` and `end`.
 */
export interface EventPage {
  readonly organization: string;
  readonly mode: string;
  readonly low: string;
  readonly high: string;
  readonly limit: number;
  readonly first: string;
  readonly end: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly last: string | number;
}

/** The page shows the events of the resource `id`, of its story, of a type or of one object. */
export interface ObjectPage extends EventPage {
  readonly id: string;
  readonly type: string | null;
  readonly object: string | null;
}

type Page = Places<EventPage>;

const own = ({ organization, mode }: Page) =>
  `SELECT * FROM events WHERE organization_id = ${organization} AND mode = ${mode}`;
/**
 * Limits the positions by an expression that no index has. With a condition of the index,
 * PostgreSQL would begin a descending scan there, above the place of the page.
 */
const upTo = (last: string) => `position + 0 <= ${last}`;
/**
 * The CASE keeps the planner from the index of IDs: it would read all events of that time, and sort
 * them by their positions.
 */
const inTime = ({ first, end, from, to, last }: Page) =>
  `CASE WHEN ${upTo(last)} THEN id > ${first} AND id < ${end} ELSE false END
    AND ${createdBetween(from, to)}`;
/**
 * Finds the places of the IDs `low` and `high`. An ID that has no event takes the place of the
 * event next to it.
 */
const position = ({ organization, mode }: Page, nearest: string) =>
  `(SELECT position FROM events
    WHERE organization_id = ${organization} AND mode = ${mode} AND ${nearest} LIMIT 1)`;
const low = (page: Page) =>
  `coalesce(${position(page, `id <= ${page.low} ORDER BY id DESC`)}, 0), ${page.low}`;
const high = (page: Page) =>
  `coalesce(${position(page, `id >= ${page.high} ORDER BY id`)}, ${LAST_POSITION}), ${page.high}`;
const between = (page: Page) =>
  `(position, id) > (${low(page)}) AND (position, id) < (${high(page)})`;

const listStatement = (order: Order) =>
  statement<EventPage>(`events.list_all_${order}`, (page) =>
    bounded(`${own(page)} AND ${inTime(page)} AND ${between(page)}`, inPlace(order), page.limit),
  );

/**
 * Lists the events of a type. The range includes the type, so that the planner uses that index, and
 * does not read all types to find a rare one.
 */
const listOfType = (order: Order) =>
  statement<EventPage & { readonly type: string }>(`events.list_type_${order}`, (page) => {
    const { type } = page;
    const ofType = `(type, position, id) > (${type}, ${low(page)})
      AND (type, position, id) < (${type}, ${high(page)})`;
    return bounded(
      `${own(page)} AND ${inTime(page)} AND ${ofType}`,
      `type ${order}, ${inPlace(order)}`,
      page.limit,
    );
  });

type Story = (of: Places<Pick<ObjectPage, 'organization' | 'mode' | 'id'>>) => string;

/**
 * Lists the events of a resource and its story. They are few, and materialized so that the planner
 * does not read all events of the time between. Each object is looked up for itself, because the
 * planner would rather read an average organization, and one may have most of the events.
 */
export const listOfObjects = (name: string, stories: readonly Story[], order: Order) =>
  statement<ObjectPage>(`events.list_${name}_${order}`, (page) => {
    const objects = [`SELECT ${page.id}::uuid`, ...stories.map((story) => story(page))].join(
      ' UNION ',
    );
    const ofObjects = `SELECT found.* FROM (${objects}) AS wanted (id) CROSS JOIN LATERAL (
        ${own(page)} AND object_id = wanted.id AND type = coalesce(${page.type}, type)
          AND object_id = coalesce(${page.object}, object_id) OFFSET 0) AS found`;
    const onPage = `SELECT * FROM own WHERE ${inTime(page)} AND ${between(page)}`;
    return `WITH own AS MATERIALIZED (${ofObjects})
      ${bounded(onPage, inPlace(order), page.limit)}`;
  });

/** This is always true. It is the condition of the index `events_across`. */
export const ACROSS = 'position >= 0';
const EVERY = '/* every organization: the ledger reads the events of all */';
const SHOWN = `organization_id AS organization, ${EVENT_COLUMNS}`;

/** This is a page of the events of all organizations. */
interface LedgerPage extends Omit<EventPage, 'organization' | 'from' | 'to'> {
  readonly types: readonly string[];
}
type OfAll = Places<LedgerPage>;

const ofEachType = ({ types }: OfAll, query: string) =>
  `SELECT found.* FROM unnest(${types}::text[]) AS wanted (name)
    CROSS JOIN LATERAL (${query}) AS found`;
const positionOfAll = (page: OfAll, nearest: string, order: string) => {
  const each = ofEachType(
    page,
    `SELECT position, id FROM events WHERE mode = ${page.mode} AND type = wanted.name
      AND ${nearest} AND ${ACROSS} ORDER BY ${order} LIMIT 1`,
  );
  return `(SELECT position FROM (${each}) AS each ORDER BY ${order} LIMIT 1)`;
};
const placesOf = (page: OfAll) => {
  const low = positionOfAll(page, `id <= ${page.low}`, 'id DESC');
  const high = positionOfAll(page, `id >= ${page.high}`, 'id');
  return `places AS MATERIALIZED (SELECT coalesce(${low}, 0) AS low,
  coalesce(${high}, ${LAST_POSITION}) AS high)`;
};
const inTimeOfAll = ({ first, end, last }: OfAll) =>
  `id > ${first} AND id < ${end} AND ${upTo(last)}`;

/** Merges a page of each type, found by the index. */
const listOfEachType = (order: Order) =>
  statement<LedgerPage>(`events.ledger_list_${order}`, (page) => {
    const { mode, low, high, limit } = page;
    const events = ofEachType(
      page,
      `SELECT * FROM events WHERE mode = ${mode} AND type = wanted.name AND ${inTimeOfAll(page)}
    AND (position, id) > ((SELECT low FROM places), ${low})
    AND (position, id) < ((SELECT high FROM places), ${high})
    ORDER BY ${inPlace(order)} LIMIT ${limit}`,
    );
    return `${EVERY} WITH ${placesOf(page)} ${bounded(events, inPlace(order), limit, SHOWN)}`;
  });

/**
 * Citus gets its own statement, because it cannot join LATERAL across shards. Its events are in the
 * order of their IDs.
 */
const listOnCitus = (order: Order) =>
  statement<LedgerPage>(`events.ledger_list_${order} on Citus`, (page) => {
    const { mode, types, low, high, limit } = page;
    const events = `SELECT * FROM events WHERE mode = ${mode} AND type = ANY (${types})
      AND id > ${low} AND id < ${high} AND ${inTimeOfAll(page)} AND ${ACROSS}`;
    return `${EVERY} ${bounded(events, `id ${order}`, limit, SHOWN)}`;
  });

const inEachOrder = <Made>(make: (order: Order) => Made) => ({
  asc: make('asc'),
  desc: make('desc'),
});
export const LIST = inEachOrder((order) => ({
  all: listStatement(order),
  type: listOfType(order),
}));
export const OF_OBJECT = inEachOrder((order) => listOfObjects('object', [], order));
export const OF_ALL = inEachOrder((order) => ({
  here: listOfEachType(order),
  onCitus: listOnCitus(order),
}));
