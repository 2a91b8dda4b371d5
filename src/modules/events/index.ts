export { deliveryView } from './adapters/representation/events.views.js';
export { deletedView, webhookEndpointView, withSecretView } from './adapters/representation/webhook-endpoints.views.js';
export { DueDeliveries } from './adapters/schedule/due-deliveries.js';
export { ChangeWebhookEndpoint } from './application/change-webhook-endpoint.js';
export { CreateWebhookEndpoint } from './application/create-webhook-endpoint.js';
export { DeleteWebhookEndpoint } from './application/delete-webhook-endpoint.js';
export { DeliverySchedule } from './application/delivery-schedule.js';
export { FindUndelivered } from './application/find-undelivered.js';
export { ListWebhookEndpoints } from './application/list-webhook-endpoints.js';
export { LedgerEvents, Outbox, type OwnedNewEvent } from './application/ports.js';

export { ResendEvent } from './application/resend-event.js';
export { RotateEndpointSecret } from './application/rotate-endpoint-secret.js';
export { TestWebhookEndpoint } from './application/test-webhook-endpoint.js';
export { EVENT_ID } from './domain/event.js';
export { WEBHOOK_ENDPOINT_ID } from './domain/webhook-endpoint.js';
export { EVENTS, EventsModule } from './events.module.js';
