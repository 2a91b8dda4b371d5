export { DeliveryQueue, EventDeliveries } from './application/ports.js';
export { WebhookScheduler } from './application/webhook-scheduler.js';
export { WEBHOOKS, WebhooksModule } from './webhooks.module.js';
