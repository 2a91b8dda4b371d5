import { Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { EventsModule } from '../events/index.js';
import { HttpReceivers, Network } from './adapters/delivery/http-receivers.js';
import { EventDeliveriesController } from './adapters/http/event-deliveries.controller.js';
import { LedgerWebhookEndpointsController } from './adapters/http/ledger-webhook-endpoints.controller.js';
import { WebhookEndpointRoutes } from './adapters/http/webhook-endpoint-routes.js';
import { WebhookEndpointsController } from './adapters/http/webhook-endpoints.controller.js';
import {
  DELIVERIES_OF_EVENTS,
  WEBHOOK_PERSONAL_DATA,
} from './adapters/persistence/deliveries-of-events.js';
import { ATTEMPTS, DELIVERY_MEASUREMENT } from './adapters/persistence/metrics.js';
import { DELIVERY_WORK } from './adapters/persistence/pending-work.js';
import { PostgresDeliveryQueue } from './adapters/persistence/postgres-delivery-queue.js';
import { TypeormEventDeliveries } from './adapters/persistence/typeorm-event-deliveries.js';
import { TypeormWebhookEndpoints } from './adapters/persistence/typeorm-webhook-endpoints.js';
import { WebhookDeliveryRecord } from './adapters/persistence/webhook-delivery.record.js';
import {
  LedgerWebhookEndpointRecord,
  WebhookEndpointRecord,
} from './adapters/persistence/webhook-endpoint.record.js';
import { WebhookWorker } from './adapters/schedule/webhook-worker.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { ManageWebhookEndpoints } from './application/manage-webhook-endpoints.js';
import { OutgoingAttempts } from './application/outgoing-attempts.js';
import { DeliveryQueue, EventDeliveries, WebhookEndpoints } from './application/ports.js';
import { Receivers } from './application/receivers.js';
import { RESEND_LIMIT, ResendEvent } from './application/resend-event.js';
import { TestWebhookEndpoint } from './application/test-webhook-endpoint.js';
import { WebhookScheduler } from './application/webhook-scheduler.js';
import { WEBHOOK_ENDPOINT_LIMIT } from './domain/webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_RESOURCE } from './resources.js';

/** Delivers events as webhooks. */
@Module({
  imports: [EventsModule],
  controllers: [
    EventDeliveriesController,
    WebhookEndpointsController,
    LedgerWebhookEndpointsController,
  ],
  providers: [
    AttemptDelivery,
    ManageWebhookEndpoints,
    Network,
    OutgoingAttempts,
    ResendEvent,
    TestWebhookEndpoint,
    WebhookEndpointRoutes,
    WebhookScheduler,
    WebhookWorker,
    { provide: DeliveryQueue, useClass: PostgresDeliveryQueue },
    { provide: EventDeliveries, useClass: TypeormEventDeliveries },
    { provide: Receivers, useClass: HttpReceivers },
    { provide: WebhookEndpoints, useClass: TypeormWebhookEndpoints },
  ],
  exports: [DeliveryQueue, EventDeliveries, WebhookScheduler],
})
export class WebhooksModule {}

export const WEBHOOKS: ModuleDeclaration = {
  module: WebhooksModule,
  records: [WebhookDeliveryRecord, WebhookEndpointRecord, LedgerWebhookEndpointRecord],
  errors: [WEBHOOK_ENDPOINT_LIMIT, RESEND_LIMIT],
  resources: [WEBHOOK_ENDPOINT_RESOURCE],
  metrics: [ATTEMPTS],
  measurements: [DELIVERY_MEASUREMENT],
  jobWork: [DELIVERY_WORK],
  eventTexts: DELIVERIES_OF_EVENTS,
  personalData: [WEBHOOK_PERSONAL_DATA],
};
