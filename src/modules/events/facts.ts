import type { Resource } from '../../platform/facts.js';
import { EVENT_ID } from './domain/event.js';

export const EVENT_FACTS = {
  id: EVENT_ID,
  schema: 'Event',
  secret: { path: '/v1/events', isListed: true },
} as const satisfies Resource;
