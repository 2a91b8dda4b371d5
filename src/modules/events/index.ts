export { EventRecord } from './adapters/persistence/event.record.js';
export {
  DELIVER_EVENT,
  deliverEventTo,
  deliveryValues,
  eventsValues,
  eventValues,
  foundDeliveryValues,
  RECORD_EVENT,
  RECORD_EVENTS,
} from './adapters/persistence/record-event.js';
export { WebhookAttemptRecord } from './adapters/persistence/webhook-attempt.record.js';
export { WebhookDeliveryRecord } from './adapters/persistence/webhook-delivery.record.js';
export { ResendEvent } from './application/resend-event.js';
export { type EventType, type NewEvent, newEvent } from './domain/event.js';
export { EventsModule } from './events.module.js';
