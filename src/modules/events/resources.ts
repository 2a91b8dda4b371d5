import type { Resource } from '../../platform/module-declaration.js';
import { EVENT_COLUMNS } from './adapters/persistence/event.record.js';
import { EVENT_ID } from './domain/event.js';

export const EVENT_RESOURCE = {
  id: EVENT_ID,
  schema: 'Event',
  secret: { path: '/v1/events', isListed: true },
  ledger: { path: '/ledger/v1/events', isListed: true },
} as const satisfies Resource;

type Of<Names extends string> = Readonly<Record<'organization' | 'mode' | Names, string>>;

/**
 * Returns SQL for the first event of an organization from an ID on. It takes the places of their
 * values.
 */
export const eventFrom = ({ organization, mode, id }: Of<'id'>): string =>
  `SELECT ${EVENT_COLUMNS} FROM events
  WHERE organization_id = ${organization} AND mode = ${mode} AND id >= ${id} ORDER BY id LIMIT 1`;

/**
 * Returns SQL for the ID of an event that its resource has at most once. It takes the places of
 * their values.
 */
export const eventOfResource = ({ organization, mode, object, type }: Of<'object' | 'type'>) =>
  `SELECT id FROM events WHERE organization_id = ${organization} AND mode = ${mode}
  AND object_id = ${object} AND type = ${type} LIMIT 1`;
