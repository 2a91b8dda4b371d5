import { Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { EventsController, LedgerEventsController } from './adapters/http/events.controller.js';
import { EventRecord } from './adapters/persistence/event.record.js';
import { EVENT_PERSONAL_DATA } from './adapters/persistence/event-personal-data.js';
import { EventSweeper } from './adapters/persistence/event-sweeper.js';
import { PostgresEvents } from './adapters/persistence/postgres-events.js';
import { PostgresOutbox, RECORDED } from './adapters/persistence/postgres-outbox.js';
import { Events, Outbox } from './application/ports.js';
import { EVENT_RESOURCE } from './resources.js';

/** Records events. Other modules record theirs in the same commit as the change. */
@Module({
  controllers: [EventsController, LedgerEventsController],
  providers: [
    EventSweeper,
    { provide: Events, useClass: PostgresEvents },
    { provide: Outbox, useClass: PostgresOutbox },
  ],
  exports: [Events, Outbox],
})
export class EventsModule {}

export const EVENTS: ModuleDeclaration = {
  module: EventsModule,
  records: [EventRecord],
  resources: [EVENT_RESOURCE],
  metrics: [RECORDED],
  personalData: [EVENT_PERSONAL_DATA],
};
