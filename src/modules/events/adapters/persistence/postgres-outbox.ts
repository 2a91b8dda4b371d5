import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../platform/database/columns.js';
import { type Part, several } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { newId, uuidOf } from '../../../../shared/id.js';
import { DueSignal, Outbox, type OwnedHappening } from '../../application/ports.js';
import { EVENT_ID, type Happening } from '../../domain/event.js';
import { EventRecord } from './event.record.js';

const insert = insertInto('events.record', EventRecord);

const DELIVERY = `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, url, receiver, attempts, next_attempt_at)`;

/** Host and port of a URL: whom a slow answer keeps waiting. */
const receiverOf = (url: string): string => `lower(substring(${url} FROM '://(?:[^/?#]*@)?([^/?#]+)'))`;

const DELIVER = `${DELIVERY} VALUES ($1, $2, $3, $4, ${receiverOf('$4::text')}, 0, $5)`;

/** One statement for a batch of any size: one array for each column. */
const RECORD_ALL = `WITH recorded AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::smallint[], $7::text[],
      $8::text[], $9::timestamptz[])
      AS event (organization_id, mode, id, type, object_id, sequence, data, url, due_at)
  ), deliveries AS (
    ${DELIVERY} SELECT organization_id, mode, id, url, ${receiverOf('url')}, 0, due_at FROM recorded
    WHERE url IS NOT NULL
  )
  INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
  SELECT organization_id, mode, id, type, object_id, sequence, data FROM recorded`;

@Injectable()
export class PostgresOutbox extends Outbox {
  constructor(
    private readonly clock: Clock,
    private readonly signal: DueSignal,
  ) {
    super();
  }

  record(caller: Caller, happening: Happening): Write {
    const now = this.clock.now();
    const row = toRow(caller, happening, now);
    const event = insert(row);
    if (happening.notifyUrl === null) return event;
    const values = [row.organizationId, row.mode, row.id, happening.notifyUrl, new Date(now)];
    const committed = () => this.signal.due(caller, happening);
    return several('events.record', event, { name: 'events.deliver', sql: DELIVER, values, committed });
  }

  recordAll(owned: readonly OwnedHappening[]): Part {
    const rows = owned.map(({ caller, happening }) => {
      const now = this.clock.now();
      const { organizationId, mode, id, type, objectId, sequence, data } = toRow(caller, happening, now);
      return [organizationId, mode, id, type, objectId, sequence, data, happening.notifyUrl, new Date(now)];
    });
    const values = Array.from({ length: 9 }, (_, column) => rows.map((row) => row[column]));
    const committed = () => {
      for (const { caller, happening } of owned) this.signal.due(caller, happening);
    };
    return { name: 'events.record_all', sql: RECORD_ALL, values, rows: rows.length, committed };
  }
}

function toRow({ organization, mode }: Caller, happening: Happening, now: number): EventRecord {
  const { type, object, sequence, data, reason = null } = happening;
  const id = uuidOf(newId(EVENT_ID, now));
  return { organizationId: uuidOf(organization), mode, id, type, objectId: uuidOf(object), sequence, data, reason };
}
