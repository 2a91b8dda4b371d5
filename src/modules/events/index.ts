export { FindUndelivered } from './application/find-undelivered.js';
export { Outbox, type OwnedHappening } from './application/ports.js';
export { ResendEvent } from './application/resend-event.js';
export { EVENT_ID } from './domain/event.js';
export { EVENTS, EventsModule } from './events.module.js';
