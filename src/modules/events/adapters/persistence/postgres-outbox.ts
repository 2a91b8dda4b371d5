import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../platform/database/columns.js';
import { type Part, several } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type Moment } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { newId, uuidOf } from '../../../../shared/id.js';
import { DueSignal, Outbox, type OwnedHappening } from '../../application/ports.js';
import { EVENT_ID, type Happening } from '../../domain/event.js';
import { EventRecord } from './event.record.js';
import { RECORDED } from './metrics.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const insert = insertInto('events.record', EventRecord);

/** A first attempt is due at any time: a clock that is set back must not put it off. */
const DELIVERY = `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)`;
const DUE = `0, '-infinity'::timestamptz`;

/** Host and port of a URL: whom a slow answer keeps waiting. */
const receiverOf = (url: string): string => `lower(substring(${url} FROM '://(?:[^/?#]*@)?([^/?#]+)'))`;

/** Whether an endpoint is to be told of an event of the type. */
const wants = (type: string): string => `endpoint.enabled AND endpoint.events && ARRAY['*', ${type}]`;

/**
 * Which endpoints are told is decided by the statement that records the event: one that exists when it begins misses
 * nothing. `$1` to `$4` are organization, mode, id and type of the event.
 */
const OWN = `FROM webhook_endpoints endpoint WHERE organization_id = $1 AND mode = $2 AND ${wants('$4::text')}`;
const TO_ENDPOINTS = `${DELIVERY}
  SELECT organization_id, mode, $3::uuid, id, url, receiver, ${DUE} ${OWN}
  UNION ALL
  SELECT $1::uuid, mode, $3::uuid, id, url, receiver, ${DUE}
  FROM ledger_webhook_endpoints endpoint WHERE mode = $2 AND ${wants('$4::text')}`;

/** An endpoint with the URL that the resource names gets the event once. */
const TO_URL_TOO = `${TO_ENDPOINTS}
  UNION ALL
  SELECT $1::uuid, $2::text, $3::uuid, '${NO_ENDPOINT}'::uuid, $5::text, ${receiverOf('$5::text')}, ${DUE}
  WHERE NOT EXISTS (SELECT ${OWN} AND url = $5)`;

/** One statement for a batch of any size: one array for each column. */
const RECORD_ALL = `WITH recorded AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::smallint[], $7::text[],
      $8::text[])
      AS event (organization_id, mode, id, type, object_id, sequence, data, url)
  ), own AS (
    SELECT event.organization_id, event.mode, event.id AS event_id, endpoint.id, endpoint.url, endpoint.receiver
    FROM recorded event JOIN webhook_endpoints endpoint
      ON endpoint.organization_id = event.organization_id AND endpoint.mode = event.mode WHERE ${wants('event.type')}
  ), deliveries AS (
    ${DELIVERY} SELECT organization_id, mode, event_id, id, url, receiver, ${DUE} FROM own
    UNION ALL
    SELECT event.organization_id, mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, ${DUE}
    FROM recorded event JOIN ledger_webhook_endpoints endpoint USING (mode) WHERE ${wants('event.type')}
    UNION ALL
    SELECT organization_id, mode, id, '${NO_ENDPOINT}'::uuid, url, ${receiverOf('url')}, ${DUE} FROM recorded event
    WHERE url IS NOT NULL AND NOT EXISTS (SELECT FROM own WHERE own.event_id = event.id AND own.url = event.url)
  )
  INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
  SELECT organization_id, mode, id, type, object_id, sequence, data FROM recorded`;

@Injectable()
export class PostgresOutbox extends Outbox {
  constructor(
    private readonly clock: CallerClock,
    private readonly signal: DueSignal,
  ) {
    super();
  }

  record(caller: Caller, happening: Happening): Write {
    const { notifyUrl } = happening;
    const row = toRow(caller, happening, this.clock.at(caller));
    const told = [row.organizationId, row.mode, row.id, row.type];
    const committed = () => this.tell(caller, happening);
    const deliver =
      notifyUrl === null
        ? { name: 'events.deliver', sql: TO_ENDPOINTS, values: told, committed }
        : { name: 'events.deliver_to_url', sql: TO_URL_TOO, values: [...told, notifyUrl], committed };
    return several('events.record', insert(row), deliver);
  }

  recordAll(owned: readonly OwnedHappening[]): Part {
    const rows = owned.map(({ caller, happening }) => {
      const row = toRow(caller, happening, this.clock.at(caller));
      const { organizationId, mode, id, type, objectId, sequence, data } = row;
      return [organizationId, mode, id, type, objectId, sequence, data, happening.notifyUrl];
    });
    const values = Array.from({ length: 8 }, (_, column) => rows.map((row) => row[column]));
    const committed = () => {
      for (const { caller, happening } of owned) this.tell(caller, happening);
    };
    return { name: 'events.record_all', sql: RECORD_ALL, values, rows: rows.length, committed };
  }

  private tell(caller: Caller, happening: Happening): void {
    RECORDED.inc({ mode: caller.mode, type: happening.type });
    this.signal.due(caller, happening);
  }
}

function toRow({ organization, mode }: Caller, happening: Happening, moment: Moment): EventRecord {
  const { type, object, sequence, data, reason = null } = happening;
  const id = uuidOf(newId(EVENT_ID, moment));
  return { organizationId: uuidOf(organization), mode, id, type, objectId: uuidOf(object), sequence, data, reason };
}
