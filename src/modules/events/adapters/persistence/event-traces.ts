import { jsonColumn } from '../../../../persistence/traces.js';
import type { Traces } from '../../../../platform/facts.js';
import { NO_ENDPOINT } from './no-endpoint.js';

const OWN = 'organization_id = $1 AND mode = $2';
const OF_EVENTS = `${OWN} AND event_id = ANY ($3::uuid[])`;

/** Events stay as they are numbered. What was or is to be sent to a notify_url goes with the URL: nobody can say which customer's shop it was. */
export const EVENT_TRACES: Traces = {
  belonging: [
    { name: 'events.of_objects', text: `SELECT id FROM events WHERE ${OWN} AND object_id = ANY ($3::uuid[])` },
  ],
  clear: [
    {
      name: 'events.clear',
      text: `UPDATE events SET reason = NULL WHERE ${OWN} AND object_id = ANY ($3::uuid[]) AND reason IS NOT NULL`,
    },
    {
      name: 'webhooks.remove_notify_urls',
      text: `DELETE FROM webhook_deliveries WHERE ${OF_EVENTS} AND endpoint_id = '${NO_ENDPOINT}'`,
    },
  ],
  remove: [
    { name: 'webhooks.remove_of', text: `DELETE FROM webhook_deliveries WHERE ${OF_EVENTS}` },
    { name: 'events.remove_of', text: `DELETE FROM events WHERE ${OWN} AND id = ANY ($3::uuid[])` },
  ],
  json: [jsonColumn('events', 'data', 'object_id'), jsonColumn('events', 'details', 'object_id')],
};
