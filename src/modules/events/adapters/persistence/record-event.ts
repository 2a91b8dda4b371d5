/** The parts of other modules' statements that record what they change: an event exists exactly when its change does. */
import { insertPart, type Statement, type StatementPart } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import type { NewEvent } from '../../domain/event.js';

const COLUMNS = ['organization_id', 'mode', 'id', 'type', 'object_id', 'sequence', 'data'] as const;

export const RECORD_EVENT: StatementPart = insertPart('events', COLUMNS);

/** The values of RECORD_EVENT. */
export function eventValues(caller: Caller, event: NewEvent): unknown[] {
  const { id, type, object, sequence, data } = event;
  return [uuidOf(caller.organization), caller.mode, uuidOf(id), type, uuidOf(object), sequence, data];
}

const DELIVERY = `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)`;

/** Host and port of a URL: whom a slow answer keeps waiting. */
const receiverOf = (url: string): string => `lower(substring(${url} FROM '://(?:[^/?#]*@)?([^/?#]+)'))`;

/** Makes the event due at a URL. */
export const DELIVER_EVENT: StatementPart = {
  parameters: 5,
  sql: `${DELIVERY} VALUES ($1, $2, $3, $4, ${receiverOf('$4::text')}, 0, $5)`,
};

/** The values of DELIVER_EVENT. */
export function deliveryValues(caller: Caller, event: NewEvent, url: string): unknown[] {
  return [uuidOf(caller.organization), caller.mode, uuidOf(event.id), url, new Date(event.at)];
}

/** Many at once, of many organizations, each with the URL it is due at, if any. */
export const RECORD_EVENTS: Statement = {
  name: 'events.record_all',
  text: `WITH recorded AS (
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::smallint[], $7::text[],
        $8::text[], $9::timestamptz[]) AS event (${COLUMNS.join(', ')}, url, due_at)
    ), deliveries AS (
      ${DELIVERY} SELECT organization_id, mode, id, url, ${receiverOf('url')}, 0, due_at FROM recorded
      WHERE url IS NOT NULL
    )
    INSERT INTO events (${COLUMNS.join(', ')}) SELECT ${COLUMNS.join(', ')} FROM recorded`,
};

export interface OwnedEvent {
  readonly caller: Caller;
  readonly event: NewEvent;
  readonly url: string | null;
}

/** The values of RECORD_EVENTS: one array for each column. */
export function eventsValues(events: readonly OwnedEvent[]): unknown[] {
  const rows = events.map(({ caller, event, url }) => [...eventValues(caller, event), url, new Date(event.at)]);
  return [...COLUMNS, 'url', 'due_at'].map((_, column) => rows.map((row) => row[column]));
}
