import type { Resource } from '../../platform/facts.js';

export const EVENT_FACTS = {
  id: 'evt',
  schema: 'Event',
  secret: { path: '/v1/events', isListed: true },
} as const satisfies Resource;
