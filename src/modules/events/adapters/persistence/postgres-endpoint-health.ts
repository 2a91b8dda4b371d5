import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { uuidOf } from '../../../../shared/id.js';
import { type ClaimedDelivery, type ClaimedEndpoint, EndpointHealths } from '../../application/ports.js';
import type { EndpointHealth } from '../../domain/webhook-endpoint.js';

/** Changes the row only if it is still as the claim found it. The organization, if any, is the last value. */
const recordIn = (table: string, scope: string) => ({
  name: `webhooks.record_health_in_${table}`,
  text: `UPDATE ${table} SET failing_since = $3, enabled = $4::text IS NULL, disabled_reason = $4
    WHERE mode = $1 AND id = $2 AND enabled AND failing_since IS NOT DISTINCT FROM $5 ${scope}`,
});

const OF_ORGANIZATION = recordIn('webhook_endpoints', 'AND organization_id = $6');
const OF_LEDGER = recordIn('ledger_webhook_endpoints', '');

@Injectable()
export class PostgresEndpointHealth extends EndpointHealths {
  constructor(private readonly database: Database) {
    super();
  }

  async record(claimed: ClaimedDelivery, { failingSince, disabledReason }: EndpointHealth): Promise<void> {
    const { owner, organization, event } = claimed;
    const { id, failingSince: before } = claimed.endpoint as ClaimedEndpoint;
    const values = [event.mode, uuidOf(id), toDate(failingSince), disabledReason, toDate(before)];
    if (owner === organization) {
      await this.database.autocommit(claimed, OF_ORGANIZATION, [...values, uuidOf(organization)]);
    } else await this.database.autocommit(claimed, OF_LEDGER, values);
  }
}

const toDate = (instant: number | null): Date | null => (instant === null ? null : new Date(instant));
