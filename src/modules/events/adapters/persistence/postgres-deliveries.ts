import { Injectable } from '@nestjs/common';
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
import { EVENT_ID, type Event } from '../../domain/event.js';
import { type DueReceiver, dueReceiver } from '../../domain/receiver.js';
import type { MadeAttempt } from '../../domain/schedule.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { activeSecrets, SECRETS, type SealedSecrets } from './endpoint-secrets.js';
import { FinishedAttempts } from './finished-attempts.js';
import { ATTEMPTS } from './metrics.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

/** In one page. Further receivers of an organization are on the pages that follow. */
const RECEIVERS = 100;
/** The columns of an endpoint that an attempt needs. */
const SENT_TO = `url, enabled, ${SECRETS}, (extract(epoch FROM failing_since) * 1000)::bigint AS "failingSince"`;

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

/**
 * If two instances find the same delivery due, one locks it; the other skips it, or sees its lease. Each event is found as the
 * first one from its ID on: before the first ANALYZE, a join by ID read all events of the organization for each delivery.
 */
const CLAIM = {
  name: 'webhooks.claim',
  text: `WITH claimed AS (
      UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = $5
      WHERE organization_id = $1 AND ctid = ANY (ARRAY(
        SELECT free.place FROM unnest($2::text[], $3::integer[]) AS share (receiver, take) CROSS JOIN LATERAL (
          SELECT ctid AS place FROM webhook_deliveries
          WHERE organization_id = $1 AND receiver = share.receiver AND next_attempt_at <= $4
          ORDER BY next_attempt_at, event_id LIMIT share.take FOR UPDATE SKIP LOCKED) AS free))
      RETURNING mode, event_id, endpoint_id, url, receiver, attempts
    )
    SELECT coalesce(endpoint.url, claimed.url) AS url, claimed.receiver AS stored, attempts AS attempt,
      event.id, type, event.mode, sequence, data, reason,
      nullif(endpoint_id, '${NO_ENDPOINT}') AS "endpointId", endpoint.enabled IS TRUE AS "isOpen", secret, previous,
      "previousExpiresAt", "failingSince"
    FROM claimed CROSS JOIN LATERAL (
      SELECT id, type, mode, sequence, data, reason FROM events
      WHERE organization_id = $1 AND mode = claimed.mode AND id >= claimed.event_id
      ORDER BY id LIMIT 1) AS event
    LEFT JOIN LATERAL (
      SELECT ${SENT_TO} FROM webhook_endpoints
      WHERE organization_id = $1 AND mode = claimed.mode AND id = claimed.endpoint_id
      UNION ALL
      SELECT ${SENT_TO} FROM ledger_webhook_endpoints WHERE mode = claimed.mode AND id = claimed.endpoint_id
    ) AS endpoint ON true
    WHERE event.id = claimed.event_id ORDER BY event.id`,
};

@Injectable()
export class PostgresDeliveries extends Deliveries {
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
      ORGANIZATIONS_STATEMENT,
      values,
    );
    const found = rows.map(({ organization }) => idOf(ORGANIZATION_ID, organization));
    const isFull = rows.reduce((sum, { deliveries }) => sum + deliveries, 0) === DELIVERIES;
    return { found, next: isFull ? found.at(-1) : undefined };
  }

  async due(organization: string, after: string | undefined, now: number): Promise<PolledPage<DueReceiver>> {
    const values = [uuidOf(organization), after ?? '', RECEIVERS, new Date(now)];
    const rows = await this.database.read<{ stored: string; isDue: boolean }>(DUE, values);
    const found = rows.filter(({ isDue }) => isDue).map(({ stored }) => dueReceiver(organization, stored));
    return { found, next: rows[RECEIVERS - 1]?.stored };
  }

  async claim(
    organization: string,
    shares: readonly Share[],
    now: number,
    leaseEnd: number,
  ): Promise<ClaimedDelivery[]> {
    const receivers = shares.map(({ due }) => due.stored);
    const takes = shares.map(({ take }) => take);
    const values = [uuidOf(organization), receivers, takes, new Date(now), new Date(leaseEnd)];
    const { rows } = await this.database.autocommit<ClaimedRow>(CLAIM, values);
    return rows.map(({ url, stored, attempt, id, type, mode, sequence, data, reason, ...endpoint }) => {
      const due = dueReceiver(organization, stored);
      const { ahead } = this.clock.at({ organization: due.owner, mode });
      const event = { id: idOf(EVENT_ID, id), type, mode, sequence, data, reason };
      return { ...due, url, attempt, event, endpoint: this.endpointOf(endpoint, now + ahead) };
    });
  }

  async cancel(claimed: ClaimedDelivery): Promise<void> {
    await this.finished.cancel(claimed);
    ATTEMPTS.inc({ mode: claimed.event.mode, outcome: 'canceled' });
  }

  async finish(claimed: ClaimedDelivery, made: MadeAttempt): Promise<void> {
    await this.finished.add(claimed, made);
    ATTEMPTS.inc({ mode: claimed.event.mode, outcome: made.outcome ?? 'retried' });
  }

  private endpointOf(
    { endpointId, isOpen, failingSince, ...sealed }: EndpointRow,
    now: number,
  ): ClaimedEndpoint | null {
    if (endpointId === null) return null;
    const secrets = isOpen ? activeSecrets(this.encryption, sealed, now) : [];
    return { id: idOf(WEBHOOK_ENDPOINT_ID, endpointId), isOpen, secrets, failingSince };
  }
}

interface ClaimedRow extends Event, EndpointRow {
  readonly url: string;
  readonly stored: string;
  readonly attempt: number;
}

interface EndpointRow extends SealedSecrets {
  readonly endpointId: string | null;
  readonly isOpen: boolean;
  readonly failingSince: number | null;
}
