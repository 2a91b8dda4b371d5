export {
  DELIVER_EVENT,
  deliveryValues,
  eventsValues,
  eventValues,
  type OwnedEvent,
  RECORD_EVENT,
  RECORD_EVENTS,
} from './adapters/persistence/record-event.js';
export { Outbox } from './application/ports.js';
export { ResendEvent } from './application/resend-event.js';
export { newEvent } from './domain/event.js';
export { EVENTS, EventsModule } from './events.module.js';
