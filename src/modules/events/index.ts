export { Events, Outbox, recordedBy } from './application/ports.js';
export { EVENT_ID, type Event, type NewEvent } from './domain/event.js';
export { EVENTS, EventsModule } from './events.module.js';
export { EVENT_FACTS, EVENT_OF_RESOURCE, eventFrom } from './facts.js';
