import { Injectable } from '@nestjs/common';
import { type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import { byOrganization, type Place } from '../../../../platform/database/places.js';
import type { Statement } from '../../../../platform/database/statement.js';
import { facts, resourceOf } from '../../../../platform/facts.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { firstUuidAt, idOf, idRange, instantOf, modeOf, uuidOf } from '../../../../shared/id.js';

import type { Page } from '../../../../shared/page.js';
import { type Attempt, type EventFilter, Events, type Order, type ResourceEvent } from '../../application/ports.js';
import { EVENT_ID, type Event } from '../../domain/event.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { EventRecord } from './event.record.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

export const COLUMNS = selectionOf(EventRecord);

const FIND = {
  name: 'events.find',
  text: `SELECT ${COLUMNS} FROM events WHERE organization_id = $1 AND mode IN ('test', 'live') AND id = $2`,
};

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/** Deliveries to the ledger are not shown to organizations, and payment pages do not wait for them. */
const OWN_RECEIVER = "receiver NOT LIKE 'ledger %'";
/** The attempt that was planned last will not be made once its endpoint is deleted or disabled. */
const ATTEMPTS = {
  name: 'events.attempts',
  text: `SELECT nullif(endpoint_id, '${NO_ENDPOINT}') AS endpoint, attempt, ${milliseconds('attempted_at')} AS "attemptedAt",
      status_code AS "statusCode", error, duration_ms AS "durationMs",
      CASE WHEN lead(attempt) OVER (PARTITION BY endpoint_id ORDER BY attempt) IS NOT NULL
        OR outcome IS NULL AND (endpoint_id = '${NO_ENDPOINT}' OR EXISTS (SELECT FROM webhook_endpoints
          WHERE organization_id = $1 AND mode = $2 AND id = endpoint_id AND enabled))
      THEN ${milliseconds('next_attempt_at')} END AS "nextAttemptAt"
    FROM webhook_attempts JOIN (SELECT endpoint_id, outcome FROM webhook_deliveries
      WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND ${OWN_RECEIVER}) AS delivery USING (endpoint_id)
    WHERE organization_id = $1 AND mode = $2 AND event_id = $3
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
export function bounded(query: string, order: string, columns = COLUMNS): string {
  return `SELECT ${columns}, followed FROM (
      SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL AS followed
      FROM (${query} ORDER BY ${order} LIMIT $5) found WINDOW page AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
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
      ? bounded(`${PAGE} AND id > $3 AND id < $4`, `id ${order}`)
      : bounded(`${PAGE} AND (type, id) > ($6, $3) AND (type, id) < ($6, $4)`, `type ${order}, id ${order}`);
  return { name: `events.list_${filter}_${order}`, text };
}

/** An object has few events. The CTE is materialized so that the planner does not read all events in the order of their IDs. */
function listOfObject(order: Order): Statement {
  return {
    name: `events.list_object_${order}`,
    text: `WITH own AS MATERIALIZED (${PAGE} AND object_id = $6)
      ${bounded('SELECT * FROM own WHERE id > $3 AND id < $4 AND type = ANY ($7)', `id ${order}`)}`,
  };
}

const OLD = {
  name: 'events.old',
  text: `/* every organization: removes old events of all of them */
    SELECT organization_id AS organization, ctid AS place FROM events
    WHERE mode = $2 AND type = $3 AND id < $1 ORDER BY id LIMIT $4`,
};

/** SKIP LOCKED: several instances sweep at once without waiting for each other. Deleting a delivery deletes its attempts. */
const REMOVE = {
  name: 'events.remove',
  text: `WITH removed AS (
      DELETE FROM events WHERE organization_id = $1 AND ctid = ANY (ARRAY(
        SELECT ctid FROM events WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND id < $3
        FOR UPDATE SKIP LOCKED))
      RETURNING organization_id, mode, id
    ), deliveries AS (
      DELETE FROM webhook_deliveries delivery USING removed WHERE delivery.organization_id = $1
        AND delivery.mode = removed.mode AND delivery.event_id = removed.id
    )
    SELECT count(*)::integer AS removed FROM removed`,
};

@Injectable()
export class PostgresEvents extends Events {
  constructor(private readonly database: Database) {
    super();
  }

  async find(caller: Caller, id: string): Promise<Event | undefined> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(caller.organization), uuidOf(id)]);
    return row && fromRow(row);
  }

  async attemptsAt(caller: Caller, { id, mode }: Event): Promise<Attempt[]> {
    const values = [uuidOf(caller.organization), mode, uuidOf(id)];
    const attempts = await this.database.read<Attempt>(ATTEMPTS, values);
    return attempts.map(({ endpoint, ...attempt }) => {
      return { endpoint: endpoint && idOf(WEBHOOK_ENDPOINT_ID, endpoint), ...attempt };
    });
  }

  async undeliveredSince(caller: Caller, { object, type }: ResourceEvent): Promise<number | undefined> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(object), type];
    const [row] = await this.database.read<Row>(UNDELIVERED, values);
    return row && instantOf(fromRow(row).id);
  }

  async list(caller: Caller, filter: EventFilter): Promise<Page<Event>> {
    const rows = await this.found(caller, filter);
    const items = rows.slice(0, filter.limit);
    return { items: items.map(fromRow), hasMore: items.at(-1)?.followed ?? false };
  }

  async removeBefore(instant: number, limit: number): Promise<number> {
    let left = limit;
    for (const mode of MODES) {
      for (const type of facts.eventTypes) {
        const old = await this.database.read<Place>(OLD, [firstUuidAt(instant), mode, type, left]);
        for (const owned of byOrganization(old)) {
          const values = [...owned, firstUuidAt(instant)];
          const { rows } = await this.database.autocommit<{ removed: number }>(REMOVE, values);
          left -= rows[0]?.removed ?? 0;
        }
        if (left === 0) return limit;
      }
    }
    return limit - left;
  }

  /** Reads one row more than the limit, so that `followed` is right for the last event of the page. */
  private async found(caller: Caller, filter: EventFilter): Promise<FoundRow[]> {
    const { type, object, order, limit } = filter;
    const page = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1];
    if (object === undefined) {
      const values = type === undefined ? page : [...page, type];
      return this.database.read(listStatement(type === undefined ? 'all' : 'type', order), values);
    }
    // A resource of the other mode has no events in this mode.
    if (modeOf(object) !== caller.mode) return [];
    const types = Object.keys(resourceOf(object)?.events ?? {}).filter((one) => type === undefined || one === type);
    return this.database.read(listOfObject(order), [...page, uuidOf(object), types]);
  }
}

type Row = Selected<EventRecord>;

export interface FoundRow extends Row {
  readonly followed: boolean;
}

export function fromRow(row: Row): Event {
  return { ...row, id: idOf(EVENT_ID, row.id) };
}
