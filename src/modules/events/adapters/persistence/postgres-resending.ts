import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import { DueSignal, type Recipient, Resending } from '../../application/ports.js';
import type { Event } from '../../domain/event.js';
import { dueReceiver, storedReceiver } from '../../domain/receiver.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const URL_OF = {
  name: 'webhooks.url_of',
  text: `SELECT url FROM webhook_deliveries
    WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND endpoint_id = '${NO_ENDPOINT}'`,
};

/** Inserts a delivery for a recipient that has none, and makes an existing one due again. */
const SEND = `INSERT INTO webhook_deliveries AS delivery
    (organization_id, mode, event_id, endpoint_id, url, receiver, attempts, next_attempt_at)
  SELECT organization_id, mode, id, endpoint_id, url, receiver, 0::smallint, $7::timestamptz
  FROM events CROSS JOIN unnest($4::uuid[], $5::text[], $6::text[]) AS recipient (endpoint_id, url, receiver)
  WHERE organization_id = $1 AND mode = $2 AND id = $3
  ON CONFLICT (organization_id, mode, event_id, endpoint_id)
  DO UPDATE SET url = excluded.url, receiver = excluded.receiver, next_attempt_at = $7, outcome = NULL`;

@Injectable()
export class PostgresResending extends Resending {
  constructor(
    private readonly database: Database,
    private readonly signal: DueSignal,
  ) {
    super();
  }

  async urlOf(caller: Caller, event: Event): Promise<string | null> {
    const [row] = await this.database.read<{ url: string }>(URL_OF, keyOf(caller, event));
    return row?.url ?? null;
  }

  send(caller: Caller, event: Event, recipients: readonly Recipient[], at: number): Part {
    const receivers = recipients.map(({ url }) => storedReceiver(url));
    const endpoints = recipients.map(({ endpoint }) => (endpoint === null ? NO_ENDPOINT : uuidOf(endpoint)));
    const urls = recipients.map(({ url }) => url);
    const committed = () => {
      for (const receiver of receivers) this.signal.dueAt(dueReceiver(caller.organization, receiver));
    };
    const values = [...keyOf(caller, event), endpoints, urls, receivers, new Date(at)];
    return { name: 'webhooks.resend', sql: SEND, values, committed };
  }
}

function keyOf({ organization }: Caller, { mode, id }: Event): unknown[] {
  return [uuidOf(organization), mode, uuidOf(id)];
}
