import { Injectable } from '@nestjs/common';
import { hot, insertInto, later, type Part } from '../../../../engine/index.js';
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

/** A first attempt is due at -infinity, so that a clock that is set back cannot delay it. */
const DELIVER = (endpoint: string) => `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)
SELECT ${endpoint}, 0, '-infinity' FROM new_event AS event`;

export const subscribes = (type: string): string => `endpoint.enabled AND endpoint.events && ARRAY['*', ${type}]`;

const OWN = `endpoint.organization_id = event.organization_id AND endpoint.mode = event.mode AND ${subscribes('event.type')}`;
const ENDPOINT = 'endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver';

interface NotifyUrl {
  readonly url: string | null;
  readonly receiver: string | null;
}

/**
 * The statement that records an event also selects its endpoints, so an endpoint misses no event that is recorded after its
 * creation. Deliveries to the organization's endpoints and to the ledger's are inserted separately, because Citus cannot mix
 * both kinds of tables in one query. The notify_url gets no delivery of its own if an endpoint with the same URL gets the event.
 */
const EVENT = insertInto<EventRecord, unknown, NotifyUrl>('new_event', EventRecord, {
  more: { url: 'text', receiver: 'text' },
  texts: [
    `${DELIVER(`endpoint.organization_id, ${ENDPOINT}`)}
JOIN webhook_endpoints AS endpoint ON ${OWN}`,
    `${DELIVER(`event.organization_id, ${ENDPOINT}`)}
JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND ${subscribes('event.type')}`,
    `${DELIVER(`event.organization_id, event.mode, event.id, '${NO_ENDPOINT}', event.url, event.receiver`)}
WHERE event.url IS NOT NULL AND NOT EXISTS (SELECT FROM webhook_endpoints AS endpoint WHERE ${OWN} AND endpoint.url = event.url)`,
  ],
});

@Injectable()
export class HotOutbox extends Outbox {
  constructor(
    private readonly clock: CallerClock,
    private readonly scheduler: WebhookScheduler,
  ) {
    super();
  }

  record(caller: Caller, event: NewEvent): Write {
    return later('events.record', async () => this.recordAt(await this.clock.at(caller), caller, event));
  }

  private recordAt(moment: Moment, caller: Caller, event: NewEvent): Part {
    const { notifyUrl: url } = event;
    const row = { ...toRow(caller, event, moment), url, receiver: url === null ? null : storedReceiver(url) };
    return hot(caller, EVENT, row, { committed: () => this.announce(caller, event) });
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
