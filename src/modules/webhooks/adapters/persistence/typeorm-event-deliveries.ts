import { Injectable } from '@nestjs/common';
import { ArrayOverlap, In } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import { statement } from '../../../../persistence/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { createdInstant, idOf, uuidOf } from '../../../../shared/id.js';
import type { Unit } from '../../../../shared/unit.js';
import { EVENT_ID, type Event, eventOfResource, type NewEvent } from '../../../events/index.js';
import {
  type Attempt,
  EventDeliveries,
  type Recipient,
  SHOWN_ATTEMPTS,
} from '../../application/ports.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';
import { dueReceiver, storedReceiver } from '../../domain/receiver.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { NO_ENDPOINT, WebhookDeliveryRecord } from './webhook-delivery.record.js';
import { WebhookEndpointRecord } from './webhook-endpoint.record.js';

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/**
 * Deliveries to the ledger are not shown to organizations, and payment pages do not wait for them.
 */
const OWN_RECEIVER = "receiver NOT LIKE 'ledger %'";
interface EventKey {
  readonly organization: string;
  readonly mode: string;
  readonly event: string;
}

/**
 * Selects the last attempts of each delivery. A planned attempt will not be made once its endpoint
 * is deleted or disabled.
 */
const ATTEMPTS = statement<EventKey>(
  'webhooks.attempts',
  ({ organization, mode, event }) => `SELECT nullif(endpoint_id, '${NO_ENDPOINT}') AS endpoint,
      attempt, ${milliseconds('attempted_at')} AS "attemptedAt",
      status_code AS "statusCode", error, duration_ms AS "durationMs",
      CASE WHEN later > 0 OR outcome IS NULL AND (endpoint_id = '${NO_ENDPOINT}' OR EXISTS (
          SELECT FROM webhook_endpoints
          WHERE organization_id = ${organization} AND mode = ${mode} AND id = endpoint_id
            AND enabled))
      THEN ${milliseconds('made.next_attempt_at')} END AS "nextAttemptAt"
    FROM webhook_deliveries AS delivery CROSS JOIN LATERAL (
      SELECT attempt, attempted_at, status_code, error, duration_ms, next_attempt_at,
        row_number() OVER (ORDER BY attempt DESC) - 1 AS later
      FROM webhook_attempts
      WHERE organization_id = ${organization} AND mode = ${mode} AND event_id = ${event}
        AND endpoint_id = delivery.endpoint_id
      ORDER BY attempt DESC LIMIT ${SHOWN_ATTEMPTS}) AS made
    WHERE organization_id = ${organization} AND mode = ${mode} AND event_id = ${event}
      AND ${OWN_RECEIVER}
    ORDER BY attempted_at, endpoint_id, attempt`,
);

interface ResourceEvent extends Pick<EventKey, 'organization' | 'mode'> {
  readonly object: string;
  readonly type: string;
}

const UNDELIVERED = statement<ResourceEvent>(
  'webhooks.undelivered',
  (of) => `SELECT event_id AS id FROM webhook_deliveries
    WHERE organization_id = ${of.organization} AND mode = ${of.mode}
      AND event_id = (${eventOfResource(of)}) AND outcome IS NULL AND ${OWN_RECEIVER} LIMIT 1`,
);

const KEY = ['organization_id', 'mode', 'event_id', 'endpoint_id'];
const AGAIN = ['url', 'receiver', 'next_attempt_at', 'outcome'];

@Injectable()
export class TypeormEventDeliveries extends EventDeliveries {
  constructor(
    private readonly database: Database,
    private readonly scheduler: WebhookScheduler,
  ) {
    super();
  }

  async attemptsAt(caller: Caller, { id, mode }: Event): Promise<Attempt[]> {
    const key = { organization: uuidOf(caller.organization), mode, event: uuidOf(id) };
    const attempts = await this.database.read<Attempt>(caller, ...ATTEMPTS.of(key));
    return attempts.map(({ endpoint, ...attempt }) => {
      return { endpoint: endpoint && idOf(WEBHOOK_ENDPOINT_ID, endpoint), ...attempt };
    });
  }

  async undeliveredSince(
    caller: Caller,
    { object, type }: Pick<NewEvent, 'object' | 'type'>,
  ): Promise<number | undefined> {
    const { mode } = caller;
    const key = { organization: uuidOf(caller.organization), mode, object: uuidOf(object), type };
    const [row] = await this.database.read<{ id: string }>(caller, ...UNDELIVERED.of(key));
    return row && createdInstant(idOf(EVENT_ID, row.id));
  }

  async lockRecipients(unit: Unit, event: Event, endpoint?: string): Promise<readonly Recipient[]> {
    const wanted =
      endpoint === undefined
        ? { events: ArrayOverlap(['*', event.type]) }
        : { id: uuidOf(endpoint) };
    const order = { id: 'DESC' } as const;
    const where = { ...scopeOf(unit), enabled: true, ...wanted };
    const endpoints = await this.database.inTransaction(unit, ({ manager }) =>
      manager.find(WebhookEndpointRecord, { where, order }),
    );
    const ids = [
      ...endpoints.map(({ id }) => id),
      ...(endpoint === undefined ? [NO_ENDPOINT] : []),
    ];
    const sent = await this.database.inTransaction(unit, ({ manager }) =>
      manager.find(WebhookDeliveryRecord, {
        where: { ...scopeOf(unit), event: uuidOf(event.id), endpoint: In(ids) },
        order: { endpoint: 'ASC' },
        lock: { mode: 'for_no_key_update' },
      }),
    );
    const delivery = (id: string) => sent.find((one) => one.endpoint === id);
    const notified = delivery(NO_ENDPOINT);
    return [
      ...endpoints.map(({ id, url }) => {
        return {
          endpoint: idOf(WEBHOOK_ENDPOINT_ID, id),
          url,
          attempts: delivery(id)?.attempts ?? 0,
        };
      }),
      ...(notified ? [{ endpoint: null, url: notified.url, attempts: notified.attempts }] : []),
    ];
  }

  send(unit: Unit, event: Event, recipients: readonly Recipient[], at: number): void {
    const rows = recipients.map(({ endpoint, url }) => ({
      ...scopeOf(unit),
      event: uuidOf(event.id),
      endpoint: endpoint === null ? NO_ENDPOINT : uuidOf(endpoint),
      url,
      receiver: storedReceiver(url),
      attempts: 0,
      nextAttemptAt: new Date(at),
    }));
    this.database.atCommit(unit, ({ manager }) => {
      const insert = manager.createQueryBuilder().insert().into(WebhookDeliveryRecord).values(rows);
      // A delivery that exists already keeps its attempts.
      return insert.orUpdate(AGAIN, KEY).execute();
    });
    const due = rows.map(({ receiver }) => dueReceiver(unit.organization, receiver));
    unit.afterCommit(() => this.scheduler.wake(due));
  }
}
