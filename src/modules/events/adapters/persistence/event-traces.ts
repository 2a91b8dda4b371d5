import { jsonColumn } from '../../../../persistence/traces.js';
import type { Traces } from '../../../../platform/facts.js';
import { NO_ENDPOINT } from './no-endpoint.js';

const OF_OBJECTS = 'organization_id = $1 AND mode = $2 AND object_id = ANY ($3::uuid[])';
const OF_EVENTS = 'organization_id = $1 AND mode = $2 AND event_id = ANY ($3::uuid[])';

/** The notify_url of a session is one of its details, and so are its copies, sent or still to be sent to. */
export const EVENT_TRACES: Traces = {
  belonging: [`SELECT id FROM events WHERE ${OF_OBJECTS}`],
  clear: [
    `UPDATE events SET reason = NULL WHERE ${OF_OBJECTS} AND reason IS NOT NULL`,
    `DELETE FROM webhook_deliveries WHERE ${OF_EVENTS} AND endpoint_id = '${NO_ENDPOINT}'`,
  ],
  remove: [`DELETE FROM webhook_deliveries WHERE ${OF_EVENTS}`, `DELETE FROM events WHERE ${OF_OBJECTS}`],
  json: [jsonColumn('events', 'data', 'object_id'), jsonColumn('events', 'details', 'object_id')],
};
