import type { Resource } from '../../platform/module-declaration.js';
import { WEBHOOK_ENDPOINT_EVENTS, WEBHOOK_ENDPOINT_ID } from './domain/webhook-endpoint.js';

export const WEBHOOK_ENDPOINT_RESOURCE = {
  id: WEBHOOK_ENDPOINT_ID,
  schema: 'WebhookEndpoint',
  secret: { path: '/v1/webhook_endpoints', isListed: true },
  ledger: { path: '/ledger/v1/webhook_endpoints', isListed: true },
  table: 'webhook_endpoints',
  events: WEBHOOK_ENDPOINT_EVENTS,
} as const satisfies Resource;
