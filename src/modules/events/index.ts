export { EventRecord } from './adapters/persistence/event.record.js';
export {
  DELIVER_EVENT,
  deliveryValues,
  eventsValues,
  eventValues,
  RECORD_EVENT,
  RECORD_EVENTS,
} from './adapters/persistence/record-event.js';
export { WebhookAttemptRecord } from './adapters/persistence/webhook-attempt.record.js';
export { WebhookDeliveryRecord } from './adapters/persistence/webhook-delivery.record.js';
export { Outbox } from './application/ports.js';
export { ResendEvent } from './application/resend-event.js';
export { type EventType, newEvent } from './domain/event.js';
export { EventsModule } from './events.module.js';
