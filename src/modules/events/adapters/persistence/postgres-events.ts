import { Injectable } from '@nestjs/common';
import { createdBetween } from '../../../../platform/database/created.js';
import { Database } from '../../../../platform/database/database.js';
import type { Statement } from '../../../../platform/database/statement.js';
import { Facts } from '../../../../platform/facts.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { createdInstant, createdRange, idOf, modeOf, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import {
  type Attempt,
  type EventFilter,
  Events,
  type Order,
  type ResourceEvent,
  SHOWN_ATTEMPTS,
} from '../../application/ports.js';
import { EVENT_ID, type Event } from '../../domain/event.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { EVENT_COLUMNS } from './event.record.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const FIND = {
  name: 'events.find',
  text: `SELECT ${EVENT_COLUMNS} FROM events WHERE organization_id = $1 AND mode IN ('test', 'live') AND id = $2`,
};

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/** Deliveries to the ledger are not shown to organizations, and payment pages do not wait for them. */
const OWN_RECEIVER = "receiver NOT LIKE 'ledger %'";
/** The last attempts of each delivery. A planned attempt will not be made once its endpoint is deleted or disabled. */
const ATTEMPTS = {
  name: 'events.attempts',
  text: `SELECT nullif(endpoint_id, '${NO_ENDPOINT}') AS endpoint, attempt, ${milliseconds('attempted_at')} AS "attemptedAt",
      status_code AS "statusCode", error, duration_ms AS "durationMs",
      CASE WHEN later > 0 OR outcome IS NULL AND (endpoint_id = '${NO_ENDPOINT}' OR EXISTS (
          SELECT FROM webhook_endpoints WHERE organization_id = $1 AND mode = $2 AND id = endpoint_id AND enabled))
      THEN ${milliseconds('made.next_attempt_at')} END AS "nextAttemptAt"
    FROM webhook_deliveries AS delivery CROSS JOIN LATERAL (
      SELECT attempt, attempted_at, status_code, error, duration_ms, next_attempt_at,
        row_number() OVER (ORDER BY attempt DESC) - 1 AS later
      FROM webhook_attempts WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND endpoint_id = delivery.endpoint_id
      ORDER BY attempt DESC LIMIT ${SHOWN_ATTEMPTS}) AS made
    WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND ${OWN_RECEIVER}
    ORDER BY attempted_at, endpoint_id, attempt`,
};

const UNDELIVERED = {
  name: 'events.undelivered',
  text: `SELECT id FROM events WHERE organization_id = $1 AND mode = $2 AND object_id = $3 AND type = $4
    AND EXISTS (SELECT FROM webhook_deliveries
      WHERE organization_id = $1 AND mode = $2 AND event_id = events.id AND outcome IS NULL
        AND ${OWN_RECEIVER})`,
};

/** The event that makes a page exceed this size is its last one, so a page has at least one event. */
const PAGE_BYTES = 1_048_576;

const PAGE = `SELECT * FROM events WHERE organization_id = $1 AND mode = $2`;

/** Cuts the result of a query at PAGE_BYTES. `followed` tells whether more events follow. */
export function bounded(query: string, order: string, limit = '$5', columns = EVENT_COLUMNS): string {
  return `SELECT ${columns}, followed FROM (
      SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL AS followed
      FROM (${query} ORDER BY ${order} LIMIT ${limit}) found WINDOW page AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
    ) measured WHERE before < ${PAGE_BYTES} ORDER BY ${order}`;
}

/**
 * One statement for each filter and order, so that each has a plan of its own. The range is of (type, id), so that the planner
 * uses the index on both: by ID alone, it would read all events of an organization to find those of a rare type. No ID equals
 * the first UUID of an instant, so the lower bound can be exclusive.
 */
function listStatement(filter: 'all' | 'type', order: Order): Statement {
  const text =
    filter === 'all'
      ? bounded(`${PAGE} AND id > $3 AND id < $4 AND ${createdBetween('$6', '$7')}`, `id ${order}`)
      : bounded(
          `${PAGE} AND (type, id) > ($8, $3) AND (type, id) < ($8, $4) AND ${createdBetween('$6', '$7')}`,
          `type ${order}, id ${order}`,
        );
  return { name: `events.list_${filter}_${order}`, text };
}

/** An object has few events. The CTE is materialized so that the planner does not read all events in the order of their IDs. */
function listOfObject(order: Order): Statement {
  return {
    name: `events.list_object_${order}`,
    text: `WITH own AS MATERIALIZED (${PAGE} AND object_id = $8 AND ${createdBetween('$6', '$7')})
      ${bounded('SELECT * FROM own WHERE id > $3 AND id < $4 AND type = ANY ($9)', `id ${order}`)}`,
  };
}

@Injectable()
export class PostgresEvents extends Events {
  constructor(
    private readonly database: Database,
    private readonly facts: Facts,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  async find(caller: Caller, id: string): Promise<Event | undefined> {
    const [row] = await this.database.read<Event>(caller, FIND, [uuidOf(caller.organization), uuidOf(id)]);
    return row && fromRow(row);
  }

  async attemptsAt(caller: Caller, { id, mode }: Event): Promise<Attempt[]> {
    const values = [uuidOf(caller.organization), mode, uuidOf(id)];
    const attempts = await this.database.read<Attempt>(caller, ATTEMPTS, values);
    return attempts.map(({ endpoint, ...attempt }) => {
      return { endpoint: endpoint && idOf(WEBHOOK_ENDPOINT_ID, endpoint), ...attempt };
    });
  }

  async undeliveredSince(caller: Caller, { object, type }: ResourceEvent): Promise<number | undefined> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(object), type];
    const [row] = await this.database.read<{ id: string }>(caller, UNDELIVERED, values);
    return row && createdInstant(idOf(EVENT_ID, row.id));
  }

  async list(caller: Caller, filter: EventFilter): Promise<Page<Event>> {
    const rows = await this.found(caller, filter);
    const items = rows.slice(0, filter.limit);
    return { items: items.map(fromRow), hasMore: items.at(-1)?.followed ?? false };
  }

  /** Reads one row more than the limit, so that `followed` is right for the last event of the page. */
  private async found(caller: Caller, filter: EventFilter): Promise<FoundRow[]> {
    const { type, object, order, limit } = filter;
    const [first, end, ...created] = createdRange(filter, (await this.clock.at(caller)).ahead);
    const page = [uuidOf(caller.organization), caller.mode, first, end, limit + 1, ...created];
    if (object === undefined) {
      const values = type === undefined ? page : [...page, type];
      return this.database.read(caller, listStatement(type === undefined ? 'all' : 'type', order), values);
    }
    // A resource of the other mode has no events in this mode.
    if (modeOf(object) !== caller.mode) return [];
    const types = Object.keys(this.facts.resourceOf(object)?.events ?? {}).filter(
      (one) => type === undefined || one === type,
    );
    return this.database.read(caller, listOfObject(order), [...page, uuidOf(object), types]);
  }
}

export interface FoundRow extends Event {
  readonly followed: boolean;
}

export function fromRow(row: Event): Event {
  return { ...row, id: idOf(EVENT_ID, row.id) };
}
