import { Injectable } from '@nestjs/common';
import { ArrayOverlap, In } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { idOf, uuidOf } from '../../../../shared/id.js';
import { type Recipient, Resending } from '../../application/ports.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';
import type { Event } from '../../domain/event.js';
import { dueReceiver, storedReceiver } from '../../domain/receiver.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { NO_ENDPOINT } from './no-endpoint.js';
import { WebhookDeliveryRecord } from './webhook-delivery.record.js';
import { WebhookEndpointRecord } from './webhook-endpoint.record.js';

const KEY = ['organization_id', 'mode', 'event_id', 'endpoint_id'];
const AGAIN = ['url', 'receiver', 'next_attempt_at', 'outcome'];

@Injectable()
export class TypeormResending extends Resending {
  constructor(
    private readonly database: Database,
    private readonly scheduler: WebhookScheduler,
  ) {
    super();
  }

  async lockRecipients(caller: Caller, event: Event, endpoint?: string): Promise<readonly Recipient[]> {
    const wanted = endpoint === undefined ? { events: ArrayOverlap(['*', event.type]) } : { id: uuidOf(endpoint) };
    const order = { id: 'DESC' } as const;
    const where = { ...scopeOf(caller), enabled: true, ...wanted };
    const endpoints = await this.database.repository(WebhookEndpointRecord).find({ where, order });
    const ids = [...endpoints.map(({ id }) => id), ...(endpoint === undefined ? [NO_ENDPOINT] : [])];
    const sent = await this.database.repository(WebhookDeliveryRecord).find({
      where: { ...scopeOf(caller), event: uuidOf(event.id), endpoint: In(ids) },
      order: { endpoint: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    const delivery = (id: string) => sent.find((one) => one.endpoint === id);
    const notified = delivery(NO_ENDPOINT);
    return [
      ...endpoints.map(({ id, url }) => {
        return { endpoint: idOf(WEBHOOK_ENDPOINT_ID, id), url, attempts: delivery(id)?.attempts ?? 0 };
      }),
      ...(notified ? [{ endpoint: null, url: notified.url, attempts: notified.attempts }] : []),
    ];
  }

  async send(caller: Caller, event: Event, recipients: readonly Recipient[], at: number): Promise<Write> {
    const rows = recipients.map(({ endpoint, url }) => ({
      ...scopeOf(caller),
      event: uuidOf(event.id),
      endpoint: endpoint === null ? NO_ENDPOINT : uuidOf(endpoint),
      url,
      receiver: storedReceiver(url),
      attempts: 0,
      nextAttemptAt: new Date(at),
    }));
    const insert = this.database.repository(WebhookDeliveryRecord).createQueryBuilder().insert().values(rows);
    // The attempts of a delivery that is there already are its own.
    await insert.orUpdate(AGAIN, KEY).execute();
    const due = rows.map(({ receiver }) => dueReceiver(caller.organization, receiver));
    return { name: 'webhooks.resent', committed: () => this.scheduler.requested(due) };
  }
}
