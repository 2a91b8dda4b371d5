import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { uuidOf } from '../../../../shared/id.js';
import { type ClaimedDelivery, type ClaimedEndpoint, EndpointHealth } from '../../application/ports.js';

/** Each statement changes a row only if it is still as the claim found it. `$1` is the organization of the event. */
function statementsOn(table: string, scope: string) {
  const named = (name: string, text: string) => ({
    name: `webhooks.${name}_in_${table}`,
    text: `UPDATE ${table} SET ${text} AND ${scope} AND mode = $2 AND id = $3`,
  });
  return {
    recovered: named('recovered', 'failing_since = NULL WHERE failing_since IS NOT NULL'),
    failing: named('failing', 'failing_since = $4 WHERE failing_since IS NULL'),
    disable: named('disable', 'enabled = false, disabled_reason = $5 WHERE enabled AND failing_since = $4'),
  };
}

const OF_ORGANIZATION = statementsOn('webhook_endpoints', 'organization_id = $1');
const OF_LEDGER = statementsOn('ledger_webhook_endpoints', '$1::uuid IS NOT NULL');
const statementsFor = ({ owner, organization }: ClaimedDelivery) =>
  owner === organization ? OF_ORGANIZATION : OF_LEDGER;

@Injectable()
export class PostgresEndpointHealth extends EndpointHealth {
  constructor(private readonly database: Database) {
    super();
  }

  async recovered(claimed: ClaimedDelivery): Promise<void> {
    await this.database.autocommit(statementsFor(claimed).recovered, keyOf(claimed));
  }

  async failing(claimed: ClaimedDelivery, since: number): Promise<void> {
    await this.database.autocommit(statementsFor(claimed).failing, [...keyOf(claimed), new Date(since)]);
  }

  async disable(claimed: ClaimedDelivery, reason: string): Promise<void> {
    const { failingSince } = claimed.endpoint as ClaimedEndpoint;
    const values = [...keyOf(claimed), new Date(failingSince ?? 0), reason];
    await this.database.autocommit(statementsFor(claimed).disable, values);
  }
}

function keyOf({ organization, event, endpoint }: ClaimedDelivery): unknown[] {
  return [uuidOf(organization), event.mode, uuidOf((endpoint as ClaimedEndpoint).id)];
}
