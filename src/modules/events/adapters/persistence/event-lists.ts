/** The statements that list events. */

import type { PlainStatement } from '../../../../persistence/database.js';
import { createdBetween } from '../../../../persistence/rows.js';
import type { Order } from '../../application/ports.js';
import { EVENT_COLUMNS } from './event.record.js';
import { LAST_POSITION } from './event-floor.js';

/** The event that makes a page exceed this size is its last one, so a page has at least one event. */
const PAGE_BYTES = 1_048_576;

const inPlace = (order: Order): string => `position ${order}, id ${order}`;

/** Cuts the result of a query at PAGE_BYTES. `followed` tells whether more events follow. */
function bounded(query: string, order: string, limit = '$5', columns = EVENT_COLUMNS): string {
  return `SELECT ${columns}, followed FROM (
      SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL AS followed
      FROM (${query} ORDER BY ${order} LIMIT ${limit}) found WINDOW page AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
    ) measured WHERE before < ${PAGE_BYTES} ORDER BY ${order}`;
}

const OWN = 'SELECT * FROM events WHERE organization_id = $1 AND mode = $2';
/** No condition of the index, because there PostgreSQL would begin a descending scan, above the place of the page. */
const upTo = (last: string) => `position + 0 <= ${last}`;
const IN_TIME = `id > $6 AND id < $7 AND ${createdBetween('$8', '$9')} AND ${upTo('$10')}`;
const PAGE = `${OWN} AND ${IN_TIME}`;
/** The places of the IDs `$3` and `$4`. Of an ID that has no event, it is that of the event next to it. */
const position = (nearest: string) =>
  `(SELECT position FROM events WHERE organization_id = $1 AND mode = $2 AND ${nearest} LIMIT 1)`;
const LOW = `coalesce(${position('id <= $3 ORDER BY id DESC')}, 0), $3`;
const HIGH = `coalesce(${position('id >= $4 ORDER BY id')}, ${LAST_POSITION}), $4`;
const BETWEEN = `(position, id) > (${LOW}) AND (position, id) < (${HIGH})`;

/** The range of a type includes the type, so that the planner uses that index, and does not read all types to find a rare one. */
function listStatement(filter: 'all' | 'type', order: Order): PlainStatement {
  const ofType = `(type, position, id) > ($11, ${LOW}) AND (type, position, id) < ($11, ${HIGH})`;
  const text =
    filter === 'all'
      ? bounded(`${PAGE} AND ${BETWEEN}`, inPlace(order))
      : bounded(`${PAGE} AND ${ofType}`, `type ${order}, ${inPlace(order)}`);
  return { name: `events.list_${filter}_${order}`, text };
}

/** Of the resource `$11`, with its story. They are few, and materialized so that the planner does not read all of the time between. */
export function listOfObjects(name: string, stories: readonly string[], order: Order): PlainStatement {
  const objects = ['SELECT $11::uuid', ...stories.map((text) => text.replaceAll('$3', '$11'))].join(' UNION ALL ');
  return {
    name: `events.list_${name}_${order}`,
    text: `WITH own AS MATERIALIZED (
        ${OWN} AND object_id = ANY (ARRAY(${objects})) AND type = coalesce($12, type) AND object_id = coalesce($13, object_id))
      ${bounded(`SELECT * FROM own WHERE ${IN_TIME} AND ${BETWEEN}`, inPlace(order))}`,
  };
}

const EVERY = '/* every organization: the ledger reads the events of all */';
const SHOWN = `organization_id AS organization, ${EVENT_COLUMNS}`;

const ofEachType = (query: string) =>
  `SELECT found.* FROM unnest($5::text[]) AS wanted (name) CROSS JOIN LATERAL (${query}) AS found`;
const positionOfAll = (nearest: string, order: string) =>
  `(SELECT position FROM (${ofEachType(`SELECT position, id FROM events
  WHERE mode = $1 AND type = wanted.name AND ${nearest} ORDER BY ${order} LIMIT 1`)}) AS each ORDER BY ${order} LIMIT 1)`;
const PLACES = `places AS MATERIALIZED (SELECT coalesce(${positionOfAll('id <= $2', 'id DESC')}, 0) AS low,
  coalesce(${positionOfAll('id >= $3', 'id')}, ${LAST_POSITION}) AS high)`;

/** Merges a page of each type, found by the index. Citus cannot join LATERAL across shards: there, events are in the order of IDs. */
function listOfAll(order: Order) {
  const condition = `id > $6 AND id < $7 AND ${upTo('$8')}`;
  const byType = ofEachType(`SELECT * FROM events WHERE mode = $1 AND type = wanted.name AND ${condition}
    AND (position, id) > ((SELECT low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
    ORDER BY ${inPlace(order)} LIMIT $4`);
  const together = `SELECT * FROM events WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 AND ${condition}`;
  const name = `events.ledger_list_${order}`;
  return {
    here: { name, text: `${EVERY} WITH ${PLACES} ${bounded(byType, inPlace(order), '$4', SHOWN)}` },
    onCitus: { name: `${name} on Citus`, text: `${EVERY} ${bounded(together, `id ${order}`, '$4', SHOWN)}` },
  };
}

const inEachOrder = <Made>(make: (order: Order) => Made) => ({ asc: make('asc'), desc: make('desc') });
export const LIST = inEachOrder((order) => ({ all: listStatement('all', order), type: listStatement('type', order) }));
export const OF_OBJECT = inEachOrder((order) => listOfObjects('object', [], order));
export const OF_ALL = inEachOrder(listOfAll);
