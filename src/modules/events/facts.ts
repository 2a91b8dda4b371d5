import type { Resource } from '../../platform/facts.js';
import { EVENT_ID } from './domain/event.js';
import { WEBHOOK_ENDPOINT_EVENTS, WEBHOOK_ENDPOINT_ID } from './domain/webhook-endpoint.js';

export const EVENT_FACTS = {
  id: EVENT_ID,
  schema: 'Event',
  secret: { path: '/v1/events', isListed: true },
  ledger: { path: '/ledger/v1/events', isListed: true },
} as const satisfies Resource;

export const WEBHOOK_ENDPOINT_FACTS = {
  id: WEBHOOK_ENDPOINT_ID,
  schema: 'WebhookEndpoint',
  secret: { path: '/v1/webhook_endpoints', isListed: true },
  ledger: { path: '/ledger/v1/webhook_endpoints', isListed: true },
  events: WEBHOOK_ENDPOINT_EVENTS,
} as const satisfies Resource;
