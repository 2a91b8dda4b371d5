import { Injectable, Logger } from '@nestjs/common';
import { Encryption } from '../../../../encryption/encryption.js';
import { Database } from '../../../../platform/database/database.js';
import { CallerClock } from '../../../../shared/clock.js';
import { FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import {
  type ClaimedDelivery,
  type ClaimedEndpoint,
  Deliveries,
  type PolledPage,
  type Share,
} from '../../application/ports.js';
import { EVENT_ID } from '../../domain/event.js';
import { type DueReceiver, dueReceiver } from '../../domain/receiver.js';
import type { MadeAttempt } from '../../domain/schedule.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { type ClaimedEndpointRow, type ClaimedRow, DeliveryClaims } from './delivery-claims.js';
import { activeSecrets } from './endpoint-secrets.js';
import { FinishedAttempts } from './finished-attempts.js';
import { ATTEMPTS } from './metrics.js';

/** In one page. Further receivers of an organization are on the pages that follow. */
const RECEIVERS = 100;
/** In one page, so that its cost does not grow with the number of unfinished deliveries. */
const DELIVERIES = 500;
const ORGANIZATIONS_STATEMENT = {
  name: 'webhooks.organizations',
  text: `/* every organization: finds those with unfinished deliveries */
    SELECT organization_id AS organization, count(*)::integer AS deliveries FROM (
      SELECT organization_id FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL AND organization_id > $1
      ORDER BY organization_id LIMIT ${DELIVERIES}) AS waiting GROUP BY organization_id ORDER BY organization_id`,
};

/** Finds the next receiver in the index, however many deliveries the last one has. DISTINCT would read them all. */
const NEXT_RECEIVER = (after: string) => `SELECT receiver, next_attempt_at FROM webhook_deliveries
  WHERE organization_id = $1 AND next_attempt_at IS NOT NULL AND receiver > ${after}
  ORDER BY receiver, next_attempt_at LIMIT 1`;
const DUE = {
  name: 'webhooks.due',
  text: `WITH RECURSIVE step AS (
      (${NEXT_RECEIVER('$2')})
      UNION ALL
      SELECT next.receiver, next.next_attempt_at FROM step CROSS JOIN LATERAL (${NEXT_RECEIVER('step.receiver')}) AS next
    ) SELECT receiver AS stored, next_attempt_at <= $4 AS "isDue" FROM step LIMIT $3`,
};

@Injectable()
export class PostgresDeliveries extends Deliveries {
  private readonly logger = new Logger('Webhooks');
  private readonly finished: FinishedAttempts;

  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly clock: CallerClock,
  ) {
    super();
    this.finished = new FinishedAttempts(database);
  }

  async organizations(after: string | undefined): Promise<PolledPage<string>> {
    const values = [after === undefined ? FIRST_UUID : uuidOf(after)];
    const rows = await this.database.read<{ organization: string; deliveries: number }>(
      { queue: ORGANIZATIONS_STATEMENT.name },
      ORGANIZATIONS_STATEMENT,
      values,
    );
    const found = rows.map(({ organization }) => idOf(ORGANIZATION_ID, organization));
    const isFull = rows.reduce((sum, { deliveries }) => sum + deliveries, 0) === DELIVERIES;
    return { found, next: isFull ? found.at(-1) : undefined };
  }

  async due(organization: string, after: string | undefined, now: number): Promise<PolledPage<DueReceiver>> {
    const values = [uuidOf(organization), after ?? '', RECEIVERS, new Date(now)];
    const rows = await this.database.read<{ stored: string; isDue: boolean }>({ organization }, DUE, values);
    const found = rows.filter(({ isDue }) => isDue).map(({ stored }) => dueReceiver(organization, stored));
    return { found, next: rows[RECEIVERS - 1]?.stored };
  }

  async claim(
    organization: string,
    shares: readonly Share[],
    now: number,
    leaseEnd: number,
  ): Promise<ClaimedDelivery[]> {
    const claims = new DeliveryClaims(this.database, organization, new Date(now), new Date(leaseEnd));
    const rows = await claims.take(shares);
    const claimed = rows.map(async (row) => {
      try {
        return [await this.claimedOf(organization, row, now)];
      } catch (error) {
        // Its secret cannot be decrypted, for example. It is due again after the lease.
        this.logger.warn(error);
        return [];
      }
    });
    return (await Promise.all(claimed)).flat();
  }

  async end(claimed: ClaimedDelivery, outcome: 'canceled' | 'given_up'): Promise<void> {
    await this.finished.end(claimed, outcome);
    ATTEMPTS.inc({ mode: claimed.event.mode, outcome });
  }

  async finish(claimed: ClaimedDelivery, made: MadeAttempt): Promise<void> {
    await this.finished.add(claimed, made);
    ATTEMPTS.inc({ mode: claimed.event.mode, outcome: made.outcome ?? 'retried' });
  }

  private async claimedOf(organization: string, row: ClaimedRow, now: number): Promise<ClaimedDelivery> {
    const { url, stored, attempt, id, type, mode, sequence, data, reason, details, ...endpoint } = row;
    const due = dueReceiver(organization, stored);
    const { ahead } = await this.clock.at({ organization: due.owner, mode });
    const event = { id: idOf(EVENT_ID, id), type, mode, sequence, data, reason, details };
    return { ...due, url, attempt, event, endpoint: this.endpointOf(endpoint, now + ahead) };
  }

  private endpointOf(
    { endpointId, isOpen, failingSince, ...sealed }: ClaimedEndpointRow,
    now: number,
  ): ClaimedEndpoint | null {
    if (endpointId === null) return null;
    const secrets = isOpen ? activeSecrets(this.encryption, sealed, now) : [];
    return { id: idOf(WEBHOOK_ENDPOINT_ID, endpointId), isOpen, secrets, failingSince };
  }
}
