export { Deliveries, Events, Outbox } from './application/ports.js';
export { WebhookScheduler } from './application/webhook-scheduler.js';
export { EVENTS, EventsModule } from './events.module.js';
