import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { HttpReceivers, Network } from './adapters/delivery/http-receivers.js';
import { nameResolver } from './adapters/delivery/names.js';
import { EventsController } from './adapters/http/events.controller.js';
import { LedgerEventsController } from './adapters/http/ledger-events.controller.js';
import {
  LedgerWebhookEndpointsController,
  WebhookEndpointsController,
} from './adapters/http/webhook-endpoints.controller.js';
import { EventRecord } from './adapters/persistence/event.record.js';
import { EventFloor } from './adapters/persistence/event-floor.js';
import { EventLists } from './adapters/persistence/event-lists.js';
import { EventSweeper } from './adapters/persistence/event-sweeper.js';
import { EVENT_TRACES } from './adapters/persistence/event-traces.js';
import { HotOutbox } from './adapters/persistence/hot-outbox.js';
import { ATTEMPTS, EVENT_MEASUREMENT, RECORDED } from './adapters/persistence/metrics.js';
import { PostgresDeliveries } from './adapters/persistence/postgres-deliveries.js';
import { PostgresEvents } from './adapters/persistence/postgres-events.js';
import { PostgresResending } from './adapters/persistence/postgres-resending.js';
import { TypeormWebhookEndpoints } from './adapters/persistence/typeorm-webhook-endpoints.js';
import { LedgerWebhookEndpointRecord, WebhookEndpointRecord } from './adapters/persistence/webhook-endpoint.record.js';
import { WebhookWorker } from './adapters/schedule/webhook-worker.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { ManageWebhookEndpoints } from './application/manage-webhook-endpoints.js';
import { OutgoingAttempts } from './application/outgoing-attempts.js';
import { Deliveries, Events, Outbox, Resending, WebhookEndpoints } from './application/ports.js';
import { Receivers } from './application/receivers.js';
import { RESEND_LIMIT, ResendEvent } from './application/resend-event.js';
import { WebhookScheduler } from './application/webhook-scheduler.js';
import { WEBHOOK_ENDPOINT_LIMIT } from './domain/webhook-endpoint.js';
import { EVENT_FACTS, WEBHOOK_ENDPOINT_FACTS } from './facts.js';

/** An attempt has 15 seconds, which is common for webhooks. */
const NETWORK: Network = { timeoutMs: 15_000, resolve: nameResolver() };

/** Records events and delivers them as webhooks. Other modules record their events in the same commit as the change. */
@Module({
  controllers: [EventsController, LedgerEventsController, WebhookEndpointsController, LedgerWebhookEndpointsController],
  providers: [
    AttemptDelivery,
    EventFloor,
    EventLists,
    EventSweeper,
    ManageWebhookEndpoints,
    OutgoingAttempts,
    ResendEvent,
    WebhookScheduler,
    WebhookWorker,
    { provide: Deliveries, useClass: PostgresDeliveries },
    { provide: Events, useClass: PostgresEvents },
    { provide: Network, useValue: NETWORK },
    { provide: Outbox, useClass: HotOutbox },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: Resending, useClass: PostgresResending },
    { provide: WebhookEndpoints, useClass: TypeormWebhookEndpoints },
  ],
  exports: [Deliveries, Events, Outbox, WebhookScheduler],
})
export class EventsModule {}

export const EVENTS: ModuleFacts = {
  module: EventsModule,
  records: [EventRecord, WebhookEndpointRecord, LedgerWebhookEndpointRecord],
  errors: [WEBHOOK_ENDPOINT_LIMIT, RESEND_LIMIT],
  resources: [EVENT_FACTS, WEBHOOK_ENDPOINT_FACTS],
  metrics: [RECORDED, ATTEMPTS],
  measurements: [EVENT_MEASUREMENT],
  jobs: ['deliver_webhooks', 'remove_events'],
  traces: [EVENT_TRACES],
};
