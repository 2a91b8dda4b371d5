import { jsonColumn } from '../../../../persistence/traces.js';
import type { Traces } from '../../../../platform/facts.js';

const OF_OBJECTS = 'organization_id = $1 AND mode = $2 AND object_id = ANY ($3::uuid[])';

export const EVENT_TRACES: Traces = {
  belonging: [`SELECT id FROM events WHERE ${OF_OBJECTS}`],
  clear: [`UPDATE events SET reason = NULL WHERE ${OF_OBJECTS} AND reason IS NOT NULL`],
  remove: [`DELETE FROM events WHERE ${OF_OBJECTS}`],
  json: [jsonColumn('events', 'data', 'object_id'), jsonColumn('events', 'details', 'object_id')],
};
