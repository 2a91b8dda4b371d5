export { DeliverySchedule } from './application/delivery-schedule.js';
export { DueDeliveries } from './application/due-deliveries.js';
export { Events, Outbox, type OwnedNewEvent } from './application/ports.js';
export { EVENTS, EventsModule } from './events.module.js';
