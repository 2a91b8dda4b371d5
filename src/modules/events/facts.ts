import type { Resource } from '../../platform/facts.js';
import { EVENT_COLUMNS } from './adapters/persistence/event.record.js';
import { EVENT_ID } from './domain/event.js';

export const EVENT_FACTS = {
  id: EVENT_ID,
  schema: 'Event',
  secret: { path: '/v1/events', isListed: true },
  ledger: { path: '/ledger/v1/events', isListed: true },
} as const satisfies Resource;

/** SQL for the first event of the organization `$1` from an ID on. */
export const eventFrom = (mode: string, id: string): string =>
  `SELECT ${EVENT_COLUMNS} FROM events WHERE organization_id = $1 AND mode = ${mode} AND id >= ${id} ORDER BY id LIMIT 1`;

/** SQL for the ID of an event that its resource has at most once: `$1` to `$4` are organization, mode, resource and type. */
export const EVENT_OF_RESOURCE =
  'SELECT id FROM events WHERE organization_id = $1 AND mode = $2 AND object_id = $3 AND type = $4 LIMIT 1';
