import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { earlier, type Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import { createdInstant, uuidOf } from '../../../../shared/id.js';
import { DeliverySchedule } from '../../application/delivery-schedule.js';
import { type ClaimedDelivery } from '../../application/ports.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const OWN = 'organization_id = $1 AND mode = $2';
/** Deliveries to the ledger follow real time. */
const TO_ORGANIZATION = `${OWN} AND receiver NOT LIKE 'ledger %'`;
/** While an attempt is under way, from its claim until it is recorded, next_attempt_at is the end of the lease. */
const RECORDED = `(attempts = 0 OR EXISTS (
  SELECT FROM webhook_attempts AS made WHERE made.organization_id = $1 AND made.mode = $2
    AND made.event_id = delivery.event_id AND made.endpoint_id = delivery.endpoint_id AND made.attempt = delivery.attempts))`;
const ADVANCE = `UPDATE webhook_deliveries AS delivery SET next_attempt_at = ${earlier('next_attempt_at', '$3')}
  WHERE ${TO_ORGANIZATION} AND next_attempt_at > $4 AND ${RECORDED}`;
const BUSY = {
  name: 'webhooks.busy',
  text: `SELECT FROM webhook_deliveries AS delivery WHERE ${TO_ORGANIZATION} AND next_attempt_at IS NOT NULL
    AND (next_attempt_at <= $3 OR NOT ${RECORDED}) LIMIT 1`,
};
const DUE_AT = {
  name: 'webhooks.due_at',
  text: `SELECT (extract(epoch FROM next_attempt_at) * 1000)::bigint AS "dueAt" FROM webhook_attempts
    WHERE ${OWN} AND event_id = $3 AND endpoint_id = $4 AND attempt = $5`,
};

@Injectable()
export class PostgresDeliverySchedule extends DeliverySchedule {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  advance(caller: Caller, seconds: number): Part {
    const values = [uuidOf(caller.organization), caller.mode, seconds, new Date(this.clock.now())];
    return { name: 'webhooks.advance', owner: caller, sql: ADVANCE, values };
  }

  async isIdle(caller: Caller): Promise<boolean> {
    const values = [uuidOf(caller.organization), caller.mode, new Date(this.clock.now())];
    return (await this.database.read(caller, BUSY, values)).length === 0;
  }

  async dueAt(caller: Caller, { event, endpoint, attempt }: ClaimedDelivery): Promise<number | null> {
    if (attempt === 1) return createdInstant(event.id);
    const values = [
      uuidOf(caller.organization),
      caller.mode,
      uuidOf(event.id),
      endpoint ? uuidOf(endpoint.id) : NO_ENDPOINT,
      attempt - 1,
    ];
    const [before] = await this.database.read<{ dueAt: number | null }>(caller, DUE_AT, values);
    return before?.dueAt ?? null;
  }
}
