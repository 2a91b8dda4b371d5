export { EVENT_FIELDS, EVENTS_TAG, eventJson } from './adapters/representation/events.views.js';
export { Events, Outbox, recordedBy } from './application/ports.js';
export { EVENT_ID, type Event, type NewEvent } from './domain/event.js';
export { EVENTS, EventsModule } from './events.module.js';
export { EVENT_RESOURCE, eventFrom, eventOfResource } from './resources.js';
