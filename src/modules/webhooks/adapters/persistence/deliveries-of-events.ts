import type { OwnedIds, PersonalData } from '../../../../platform/module-declaration.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

/** A first attempt is due at -infinity, so that a clock that is set back cannot delay it. */
const deliver = (events: string, endpoint: string) => `INSERT INTO webhook_deliveries
  (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)
SELECT ${endpoint}, 0, '-infinity' FROM ${events} AS event`;

const SUBSCRIBES = `endpoint.enabled AND endpoint.events && ARRAY['*', event.type]`;
const OWN = `endpoint.organization_id = event.organization_id AND endpoint.mode = event.mode
  AND ${SUBSCRIBES}`;
const ENDPOINT = 'endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver';
const NOTIFY_URL = `event.organization_id, event.mode, event.id, '${NO_ENDPOINT}',
  event.url, event.receiver`;

/**
 * The statement that records an event also selects its endpoints, so an endpoint misses no event
 * that is recorded after its creation. Deliveries to the organization's endpoints and to the
 * ledger's are inserted separately, because Citus cannot mix both kinds of tables in one query.
 */
const RECORDED = [
  (events: string) => `${deliver(events, `endpoint.organization_id, ${ENDPOINT}`)}
JOIN webhook_endpoints AS endpoint ON ${OWN}`,
  (events: string) => `${deliver(events, `event.organization_id, ${ENDPOINT}`)}
JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND ${SUBSCRIBES}`,
];

/** The notify_url gets no delivery of its own if an endpoint with the same URL gets the event. */
const NOTIFIED = [
  (events: string) => `${deliver(events, NOTIFY_URL)}
LEFT JOIN webhook_endpoints AS endpoint ON ${OWN} AND endpoint.url = event.url
WHERE endpoint.url IS NULL`,
];

/** Deletes deliveries; each delivery's attempts are deleted with it. */
const removedWith = (
  removed: string,
  organization: string,
) => `DELETE FROM webhook_deliveries AS delivery USING ${removed}
  WHERE delivery.organization_id = ${organization}
  AND delivery.mode = ${removed}.mode AND delivery.event_id = ${removed}.id`;

export const DELIVERIES_OF_EVENTS = {
  recorded: RECORDED,
  notified: NOTIFIED,
  removed: [removedWith],
};

const removedBy = ({ organization, mode, ids }: OwnedIds) => `DELETE FROM webhook_deliveries
  WHERE organization_id = ${organization} AND mode = ${mode} AND event_id = ANY (${ids}::uuid[])`;

/**
 * The notify_url of a session is one of its details. Its copies are details too, both those that
 * events were sent to and those that are still due.
 */
export const WEBHOOK_PERSONAL_DATA: PersonalData = {
  object: 'event',
  clear: (events) => `${removedBy(events)} AND endpoint_id = '${NO_ENDPOINT}'`,
  remove: removedBy,
};
