import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { AccessSigningSecrets } from './adapters/access/access-signing-secrets.js';
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
import { LedgerWebhookEndpointRecord } from './adapters/persistence/ledger-webhook-endpoint.record.js';
import { ATTEMPTS, EVENT_MEASUREMENT, RECORDED } from './adapters/persistence/metrics.js';
import { PostgresDeliveries } from './adapters/persistence/postgres-deliveries.js';
import { PostgresDeliverySchedule } from './adapters/persistence/postgres-delivery-schedule.js';
import { PostgresEndpointHealth } from './adapters/persistence/postgres-endpoint-health.js';
import { PostgresEvents } from './adapters/persistence/postgres-events.js';
import { PostgresLedgerEvents } from './adapters/persistence/postgres-ledger-events.js';
import { PostgresOldEvents } from './adapters/persistence/postgres-old-events.js';
import { PostgresOutbox } from './adapters/persistence/postgres-outbox.js';
import { PostgresResending } from './adapters/persistence/postgres-resending.js';
import { PostgresWebhookEndpoints } from './adapters/persistence/postgres-webhook-endpoints.js';
import { WebhookAttemptRecord } from './adapters/persistence/webhook-attempt.record.js';
import { WebhookDeliveryRecord } from './adapters/persistence/webhook-delivery.record.js';
import { WebhookEndpointRecord } from './adapters/persistence/webhook-endpoint.record.js';
import { EventSweeper } from './adapters/schedule/event-sweeper.js';
import { LoggedDeliveries } from './adapters/schedule/logged-deliveries.js';
import { WebhookWorker } from './adapters/schedule/webhook-worker.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { ChangeWebhookEndpoint } from './application/change-webhook-endpoint.js';
import { CreateWebhookEndpoint } from './application/create-webhook-endpoint.js';
import { DeleteWebhookEndpoint } from './application/delete-webhook-endpoint.js';
import { DeliverySchedule } from './application/delivery-schedule.js';
import { DueDeliveries } from './application/due-deliveries.js';
import { OutgoingAttempts } from './application/outgoing-attempts.js';
import {
  Deliveries,
  DeliveryLog,
  DueSignal,
  EndpointHealths,
  Events,
  LedgerEvents,
  OldEvents,
  Outbox,
  Resending,
  SigningSecrets,
  WebhookEndpoints,
} from './application/ports.js';
import { Receivers } from './application/receivers.js';
import { RESEND_LIMIT, ResendEvent } from './application/resend-event.js';
import { RotateEndpointSecret } from './application/rotate-endpoint-secret.js';
import { TestWebhookEndpoint } from './application/test-webhook-endpoint.js';
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
    ChangeWebhookEndpoint,
    CreateWebhookEndpoint,
    DeleteWebhookEndpoint,
    DueDeliveries,
    EventFloor,
    EventLists,
    EventSweeper,
    OutgoingAttempts,
    ResendEvent,
    RotateEndpointSecret,
    TestWebhookEndpoint,
    WebhookScheduler,
    WebhookWorker,
    { provide: Deliveries, useClass: PostgresDeliveries },
    { provide: DeliveryLog, useClass: LoggedDeliveries },
    { provide: DeliverySchedule, useClass: PostgresDeliverySchedule },
    { provide: DueSignal, useExisting: WebhookWorker },
    { provide: EndpointHealths, useClass: PostgresEndpointHealth },
    { provide: Events, useClass: PostgresEvents },
    { provide: LedgerEvents, useClass: PostgresLedgerEvents },
    { provide: Network, useValue: NETWORK },
    { provide: OldEvents, useClass: PostgresOldEvents },
    { provide: Outbox, useClass: PostgresOutbox },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: Resending, useClass: PostgresResending },
    { provide: SigningSecrets, useClass: AccessSigningSecrets },
    { provide: WebhookEndpoints, useClass: PostgresWebhookEndpoints },
  ],
  exports: [DeliverySchedule, DueDeliveries, Events, Outbox],
})
export class EventsModule {}

export const EVENTS: ModuleFacts = {
  module: EventsModule,
  records: [
    EventRecord,
    WebhookDeliveryRecord,
    WebhookAttemptRecord,
    WebhookEndpointRecord,
    LedgerWebhookEndpointRecord,
  ],
  errors: [WEBHOOK_ENDPOINT_LIMIT, RESEND_LIMIT],
  resources: [EVENT_FACTS, WEBHOOK_ENDPOINT_FACTS],
  metrics: [RECORDED, ATTEMPTS],
  measurements: [EVENT_MEASUREMENT],
  jobs: ['deliver_webhooks', 'remove_events'],
};
