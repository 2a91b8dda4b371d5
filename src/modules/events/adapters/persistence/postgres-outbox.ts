import { Injectable } from '@nestjs/common';
import { insertAllInto, insertInto } from '../../../../platform/database/columns.js';
import { later, type Part, several } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type Moment } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { newId, uuidOf } from '../../../../shared/id.js';
import { Outbox, type OwnedNewEvent } from '../../application/ports.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';
import { EVENT_ID, type NewEvent } from '../../domain/event.js';
import { storedReceiver } from '../../domain/receiver.js';
import { EventRecord, numbered } from './event.record.js';
import { RECORDED } from './metrics.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const insert = insertInto('events.record', EventRecord);

/** A first attempt is due at -infinity, so that a clock that is set back cannot delay it. */
const DELIVERY = `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)`;
const DUE = `0::smallint, '-infinity'::timestamptz`;

export const subscribes = (type: string): string => `endpoint.enabled AND endpoint.events && ARRAY['*', ${type}]`;

/**
 * The statement that records an event also selects its endpoints, so an endpoint misses no event that is recorded after its
 * creation. `$1` to `$4` are organization, mode, ID and type of the event. Deliveries to the organization's endpoints and to the
 * ledger's are inserted separately, because Citus cannot mix both kinds of tables in one query.
 */
const OWN = `FROM webhook_endpoints endpoint WHERE organization_id = $1 AND mode = $2 AND ${subscribes('$4::text')}`;
const TO_ENDPOINTS = `${DELIVERY} SELECT organization_id, mode, $3::uuid, id, url, receiver, ${DUE} ${OWN}`;
const TO_LEDGER = `${DELIVERY} SELECT $1::uuid, mode, $3::uuid, id, url, receiver, ${DUE}
  FROM ledger_webhook_endpoints endpoint WHERE mode = $2 AND ${subscribes('$4::text')}`;
/** The notify_url gets no delivery of its own if an endpoint with the same URL gets the event. */
const TO_URL = `${DELIVERY}
  SELECT $1::uuid, $2::text, $3::uuid, '${NO_ENDPOINT}'::uuid, $5::text, $6::text, ${DUE}
  WHERE NOT EXISTS (SELECT ${OWN} AND url = $5)`;

/** The same statements for a batch of events of one organization, with one array for each column. */
const RECORD_ALL = insertAllInto('events.record_all', EventRecord);
const batch = (name: string) =>
  `unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[]) AS ${name} (mode, id, type, url, receiver)`;
const ALL_TO_ENDPOINTS = `${DELIVERY}
  SELECT endpoint.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, ${DUE}
  FROM webhook_endpoints endpoint JOIN ${batch('event')} ON event.mode = endpoint.mode
  WHERE endpoint.organization_id = $1 AND ${subscribes('event.type')}`;
const ALL_TO_LEDGER = `${DELIVERY}
  SELECT $1::uuid, event.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, ${DUE}
  FROM ledger_webhook_endpoints endpoint JOIN ${batch('event')} ON event.mode = endpoint.mode WHERE ${subscribes('event.type')}`;
const ALL_TO_URLS = `${DELIVERY}
  SELECT $1::uuid, event.mode, event.id, '${NO_ENDPOINT}'::uuid, event.url, event.receiver, ${DUE}
  FROM ${batch('event')} WHERE url IS NOT NULL AND id NOT IN (
    SELECT other.id FROM webhook_endpoints endpoint JOIN ${batch('other')}
      ON other.mode = endpoint.mode AND other.url = endpoint.url
    WHERE endpoint.organization_id = $1 AND ${subscribes('other.type')})`;

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

  recordAll(organization: string, owned: readonly OwnedNewEvent[]): Write {
    return later('events.record_all', async () => {
      const rowOf = async ({ caller, event }: OwnedNewEvent) => {
        const { notifyUrl: url } = event;
        const receiver = url === null ? null : storedReceiver(url);
        return { ...toRow(caller, event, await this.clock.at(caller)), url, receiver };
      };
      return this.recordRows(organization, owned, await Promise.all(owned.map(rowOf)));
    });
  }

  private recordAt(moment: Moment, caller: Caller, event: NewEvent): Write {
    const { notifyUrl } = event;
    const row = toRow(caller, event, moment);
    const values = [row.organizationId, row.mode, row.id, row.type];
    const committed = () => this.announce(caller, event);
    const parts: Part[] = [
      { committed, ...insert(caller, row) },
      { name: 'events.deliver', owner: caller, sql: TO_ENDPOINTS, values },
      { name: 'events.deliver_to_ledger', owner: caller, sql: TO_LEDGER, values },
    ];
    if (notifyUrl !== null) {
      parts.push({
        name: 'events.deliver_to_url',
        owner: caller,
        sql: TO_URL,
        values: [...values, notifyUrl, storedReceiver(notifyUrl)],
      });
    }
    return several('events.record', ...parts);
  }

  private recordRows(organization: string, owned: readonly OwnedNewEvent[], rows: readonly NewRow[]): Write {
    const all = (...columns: readonly (keyof NewRow)[]) => [
      uuidOf(organization),
      ...columns.map((column) => rows.map((row) => row[column])),
    ];
    const owner = { organization };
    const values = all('mode', 'id', 'type', 'url', 'receiver');
    const committed = () => {
      for (const { caller, event } of owned) this.announce(caller, event);
    };
    return several(
      'events.record_all',
      { ...RECORD_ALL.part(organization, rows), committed },
      { name: 'events.deliver_all', owner, sql: ALL_TO_ENDPOINTS, values },
      { name: 'events.deliver_all_to_ledger', owner, sql: ALL_TO_LEDGER, values },
      { name: 'events.deliver_all_to_urls', owner, sql: ALL_TO_URLS, values },
    );
  }

  private announce(caller: Caller, event: NewEvent): void {
    RECORDED.inc({ mode: caller.mode, type: event.type });
    this.scheduler.recorded(caller, event);
  }
}

interface NewRow extends EventRecord {
  readonly url: string | null;
  readonly receiver: string | null;
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
