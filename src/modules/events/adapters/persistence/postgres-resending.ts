import { Injectable } from '@nestjs/common';
import { Database, type PlainWrite } from '../../../../persistence/database.js';
import type { Caller } from '../../../../shared/caller.js';
import { idOf, uuidOf } from '../../../../shared/id.js';
import { type Recipient, Resending } from '../../application/ports.js';
import { WebhookScheduler } from '../../application/webhook-scheduler.js';
import type { Event } from '../../domain/event.js';
import { dueReceiver, storedReceiver } from '../../domain/receiver.js';
import { MAX_RESENDABLE } from '../../domain/schedule.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { subscribes } from './hot-outbox.js';
import { NO_ENDPOINT } from './no-endpoint.js';

const KEY = 'organization_id = $1 AND mode = $2 AND event_id = $3';
const RECIPIENTS = {
  name: 'webhooks.recipients',
  text: `SELECT id AS endpoint, url, coalesce((SELECT attempts FROM webhook_deliveries
        WHERE ${KEY} AND endpoint_id = endpoint.id), 0) AS attempts
      FROM webhook_endpoints endpoint WHERE organization_id = $1 AND mode = $2
        AND CASE WHEN $5::uuid IS NULL THEN ${subscribes('$4::text')} ELSE id = $5 AND enabled END
    UNION ALL
    SELECT NULL, url, attempts FROM webhook_deliveries WHERE ${KEY} AND endpoint_id = '${NO_ENDPOINT}' AND $5::uuid IS NULL`,
};

/** Inserts a delivery for a recipient that has none, or makes its delivery due, unless its attempts reached the limit since they were read. */
const SEND = `INSERT INTO webhook_deliveries AS delivery
    (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)
  SELECT organization_id, mode, id, endpoint_id, url, receiver, 0::smallint, $7::timestamptz
  FROM events CROSS JOIN unnest($4::uuid[], $5::text[], $6::text[]) AS recipient (endpoint_id, url, receiver)
  WHERE organization_id = $1 AND mode = $2 AND id = $3
  ON CONFLICT (organization_id, mode, event_id, endpoint_id)
  DO UPDATE SET url = excluded.url, receiver = excluded.receiver, next_attempt_at = $7, outcome = NULL
    WHERE delivery.attempts < ${MAX_RESENDABLE}`;

@Injectable()
export class PostgresResending extends Resending {
  constructor(
    private readonly database: Database,
    private readonly scheduler: WebhookScheduler,
  ) {
    super();
  }

  async recipients(caller: Caller, event: Event, endpoint?: string): Promise<Recipient[]> {
    const values = [...keyOf(caller, event), event.type, endpoint === undefined ? null : uuidOf(endpoint)];
    const rows = await this.database.read<Recipient>(caller, RECIPIENTS, values);
    return rows.map((row) => ({ ...row, endpoint: row.endpoint && idOf(WEBHOOK_ENDPOINT_ID, row.endpoint) }));
  }

  send(caller: Caller, event: Event, recipients: readonly Recipient[], at: number): PlainWrite {
    const receivers = recipients.map(({ url }) => storedReceiver(url));
    const endpoints = recipients.map(({ endpoint }) => (endpoint === null ? NO_ENDPOINT : uuidOf(endpoint)));
    const urls = recipients.map(({ url }) => url);
    const committed = () =>
      this.scheduler.requested(receivers.map((stored) => dueReceiver(caller.organization, stored)));
    const values = [...keyOf(caller, event), endpoints, urls, receivers, new Date(at)];
    return { name: 'webhooks.resend', owner: caller, sql: SEND, values, committed, rows: recipients.length };
  }
}

function keyOf({ organization }: Caller, { mode, id }: Event): unknown[] {
  return [uuidOf(organization), mode, uuidOf(id)];
}
