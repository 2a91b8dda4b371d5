import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../platform/database/columns.js';
import { inserting, later, type Sql, several } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type Moment } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { newId, uuidOf } from '../../../../shared/id.js';
import { Outbox } from '../../application/ports.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';
import { EVENT_ID, type NewEvent } from '../../domain/event.js';
import { storedReceiver } from '../../domain/receiver.js';
import { EventRecord, numbered } from './event.record.js';
import { RECORDED } from './metrics.js';
import { NO_ENDPOINT } from './no-endpoint.js';

const insert = insertInto('events.record', EventRecord);

/** A first attempt is due at -infinity, so that a clock that is set back cannot delay it. */
const DELIVERIES = `webhook_deliveries
  (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)`;
const DUE = `0::smallint, '-infinity'::timestamptz`;

export const subscribes = (type: string): string => `endpoint.enabled AND endpoint.events && ARRAY['*', ${type}]`;

/**
 * The statement that records an event also selects its endpoints, so an endpoint misses no event that is recorded after its
 * creation. Deliveries to the organization's endpoints and to the ledger's are inserted separately, because Citus cannot mix
 * both kinds of tables in one query.
 */
const own: Sql = (organization, mode, type) =>
  `FROM webhook_endpoints endpoint WHERE organization_id = ${organization}::uuid AND mode = ${mode} AND ${subscribes(`${type}::text`)}`;
const TO_ENDPOINTS = inserting(
  DELIVERIES,
  (organization, mode, event, type) =>
    `SELECT organization_id, mode, ${event}::uuid, id, url, receiver, ${DUE} ${own(organization, mode, type)}`,
);
const TO_LEDGER = inserting(
  DELIVERIES,
  (organization, mode, event, type) => `SELECT ${organization}::uuid, mode, ${event}::uuid, id, url, receiver, ${DUE}
  FROM ledger_webhook_endpoints endpoint WHERE mode = ${mode} AND ${subscribes(`${type}::text`)}`,
);
/** The notify_url gets no delivery of its own if an endpoint with the same URL gets the event. */
const TO_URL = inserting(
  DELIVERIES,
  (organization, mode, event, type, url, receiver) =>
    `SELECT ${organization}::uuid, ${mode}::text, ${event}::uuid, '${NO_ENDPOINT}'::uuid, ${url}::text, ${receiver}::text, ${DUE}
  WHERE ${url} IS NOT NULL AND NOT EXISTS (SELECT ${own(organization, mode, type)} AND url = ${url})`,
);

@Injectable()
export class PostgresOutbox extends Outbox {
  constructor(
    private readonly clock: CallerClock,
    private readonly scheduler: WebhookScheduler,
  ) {
    super();
  }

  record(caller: Caller, event: NewEvent): Write {
    return later('events.record', async () => this.recordAt(await this.clock.at(caller), caller, event));
  }

  private recordAt(moment: Moment, caller: Caller, event: NewEvent): Write {
    const { notifyUrl: url } = event;
    const row = toRow(caller, event, moment);
    const values = [row.organizationId, row.mode, row.id, row.type];
    const committed = () => this.announce(caller, event);
    return several(
      'events.record',
      { committed, ...insert(caller, row), ...(event.isFollowed ? { rows: 1 } : {}) },
      { name: 'events.deliver', owner: caller, ...TO_ENDPOINTS, values },
      { name: 'events.deliver_to_ledger', owner: caller, ...TO_LEDGER, values },
      {
        name: 'events.deliver_to_url',
        owner: caller,
        ...TO_URL,
        values: [...values, url, url === null ? null : storedReceiver(url)],
      },
    );
  }

  private announce(caller: Caller, event: NewEvent): void {
    RECORDED.inc({ mode: caller.mode, type: event.type });
    this.scheduler.recorded(caller, event);
  }
}

function toRow({ organization, mode }: Caller, event: NewEvent, moment: Moment): EventRecord {
  const { type, object, sequence, data, reason = null } = event;
  const details = event.details === undefined ? null : JSON.stringify(event.details);
  const id = uuidOf(newId(EVENT_ID, moment));
  const owned = {
    organizationId: uuidOf(organization),
    mode,
    id,
    type,
    objectId: uuidOf(object),
    data,
    reason,
    details,
  };
  return { ...owned, ...numbered(sequence) };
}
