import type { Traces } from '../../../../platform/facts.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const REMOVE = `DELETE FROM webhook_deliveries
  WHERE organization_id = $1 AND mode = $2 AND event_id = ANY ($3::uuid[])`;

/** The notify_url of a session is one of its details, and so are its copies, sent or still to be sent to. */
export const WEBHOOK_TRACES: Traces = { clear: [`${REMOVE} AND endpoint_id = '${NO_ENDPOINT}'`], remove: [REMOVE] };
