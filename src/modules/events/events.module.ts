import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { AccessSigningSecrets } from './adapters/access/access-signing-secrets.js';
import { HttpReceivers, Network } from './adapters/delivery/http-receivers.js';
import { nameResolver } from './adapters/delivery/names.js';
import { EventsController } from './adapters/http/events.controller.js';
import { EventRecord } from './adapters/persistence/event.record.js';
import { PostgresDeliveries } from './adapters/persistence/postgres-deliveries.js';
import { PostgresEvents } from './adapters/persistence/postgres-events.js';
import { PostgresOutbox } from './adapters/persistence/postgres-outbox.js';
import { WebhookAttemptRecord } from './adapters/persistence/webhook-attempt.record.js';
import { WebhookDeliveryRecord } from './adapters/persistence/webhook-delivery.record.js';
import { EventSweeper } from './adapters/schedule/event-sweeper.js';
import { WebhookScheduler } from './adapters/schedule/webhook-scheduler.js';
import { WebhookWorker } from './adapters/schedule/webhook-worker.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { FindUndelivered } from './application/find-undelivered.js';
import { ListEvents } from './application/list-events.js';
import { Deliveries, DueSignal, Events, Outbox, Receivers, SigningSecrets } from './application/ports.js';
import { ReadEvent } from './application/read-event.js';
import { ResendEvent } from './application/resend-event.js';
import { EVENT_FACTS } from './facts.js';

/** An attempt has 15 seconds, as receivers of webhooks are used to. */
const NETWORK: Network = { timeoutMs: 15_000, resolve: nameResolver() };

/** What happened, told to whoever asked for it. Other modules record their events in their own statements. */
@Module({
  controllers: [EventsController],
  providers: [
    AttemptDelivery,
    EventSweeper,
    FindUndelivered,
    ListEvents,
    ReadEvent,
    ResendEvent,
    WebhookScheduler,
    WebhookWorker,
    { provide: Deliveries, useClass: PostgresDeliveries },
    { provide: DueSignal, useExisting: WebhookWorker },
    { provide: Events, useClass: PostgresEvents },
    { provide: Network, useValue: NETWORK },
    { provide: Outbox, useClass: PostgresOutbox },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: SigningSecrets, useClass: AccessSigningSecrets },
  ],
  exports: [FindUndelivered, Outbox],
})
export class EventsModule {}

export const EVENTS: ModuleFacts = {
  module: EventsModule,
  records: [EventRecord, WebhookDeliveryRecord, WebhookAttemptRecord],
  resources: [EVENT_FACTS],
};
