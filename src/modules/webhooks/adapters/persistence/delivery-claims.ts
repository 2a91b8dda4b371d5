import { Logger } from '@nestjs/common';
import type { Database } from '../../../../persistence/database.js';
import { isUnavailable } from '../../../../persistence/faults.js';
import { uuidOf } from '../../../../shared/id.js';
import { type Event, eventFrom } from '../../../events/index.js';
import type { ClaimedDelivery, ClaimedEndpoint, Share } from '../../application/ports.js';
import type { SealedSecrets } from './typeorm-webhook-endpoints.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const SENT_TO = `url, enabled, secret, previous_secret AS previous,
  ${milliseconds('previous_secret_expires_at')} AS "previousExpiresAt", ${milliseconds('failing_since')} AS "failingSince"`;
/** The largest smallint. A delivery is given up long before. */
const MOST_ATTEMPTS = 32_767;
/** So many deliveries of a receiver that cannot be claimed are passed over in one claim. */
const MOST_SKIPPED = 100;

/**
 * If two instances find the same delivery due, one locks it; the other skips it, or sees its lease. Each event is found as the
 * first one from its ID on: before the first ANALYZE, a join by ID read all events of the organization for each delivery.
 * RETURNING reads the time at which the delivery was due, which the update replaces.
 */
const CLAIM = {
  name: 'webhooks.claim',
  text: `/* both modes: a receiver has deliveries of either */ WITH claimed AS (
      UPDATE webhook_deliveries AS delivery SET attempts = least(attempts + 1, ${MOST_ATTEMPTS}), next_attempt_at = $5
      WHERE organization_id = $1 AND ctid = ANY (ARRAY(
        SELECT free.place FROM unnest($2::text[], $3::integer[]) AS share (receiver, take) CROSS JOIN LATERAL (
          SELECT ctid AS place FROM webhook_deliveries
          WHERE organization_id = $1 AND receiver = share.receiver AND next_attempt_at <= $4
          ORDER BY next_attempt_at, event_id LIMIT share.take OFFSET $6 FOR UPDATE SKIP LOCKED) AS free))
      RETURNING mode, event_id, endpoint_id, url, receiver, attempts, (
        SELECT nullif(next_attempt_at, '-infinity') FROM webhook_deliveries WHERE organization_id = $1
          AND mode = delivery.mode AND event_id = delivery.event_id AND endpoint_id = delivery.endpoint_id) AS due_at
    )
    SELECT coalesce(endpoint.url, claimed.url) AS url, claimed.receiver AS stored, attempts AS attempt,
      ${milliseconds('due_at')} AS "dueAt",
      event.id, type, event.mode, event.sequence, data, reason, details,
      nullif(endpoint_id, '${NO_ENDPOINT}') AS "endpointId", endpoint.enabled IS TRUE AS enabled, secret, previous,
      "previousExpiresAt", "failingSince"
    FROM claimed CROSS JOIN LATERAL (${eventFrom({ organization: '$1', mode: 'claimed.mode', id: 'claimed.event_id' })}) AS event
    LEFT JOIN LATERAL (
      SELECT ${SENT_TO} FROM webhook_endpoints
      WHERE organization_id = $1 AND mode = claimed.mode AND id = claimed.endpoint_id
      UNION ALL
      SELECT ${SENT_TO} FROM ledger_webhook_endpoints WHERE mode = claimed.mode AND id = claimed.endpoint_id
    ) AS endpoint ON true
    WHERE event.id = claimed.event_id ORDER BY event.id`,
};

type Shown = Pick<ClaimedDelivery, 'url' | 'stored' | 'attempt' | 'dueAt'> &
  Omit<ClaimedEndpoint, 'id'>;

export interface ClaimedRow extends Event, SealedSecrets, Shown {
  readonly endpointId: string | null;
}

type Claim = (shares: readonly Share[], skip?: number) => Promise<readonly ClaimedRow[]>;

/** Claims all shares in one statement. If it fails, one delivery at a time, without those that cannot be claimed. */
export async function claimShares(
  database: Database,
  organization: string,
  shares: readonly Share[],
  now: Date,
  leaseEnd: Date,
): Promise<readonly ClaimedRow[]> {
  const claim: Claim = async (some, skip = 0) => {
    const [receivers, takes] = [some.map(({ due }) => due.stored), some.map(({ take }) => take)];
    const values = [uuidOf(organization), receivers, takes, now, leaseEnd, skip];
    return (await database.autocommit<ClaimedRow>({ queue: organization }, CLAIM, values)).rows;
  };
  try {
    return await claim(shares);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const claimed: ClaimedRow[] = [];
    for (const share of shares) await claimEach(claim, share, claimed);
    return claimed;
  }
}

async function claimEach(claim: Claim, { due, take }: Share, claimed: ClaimedRow[]): Promise<void> {
  for (let left = take, skip = 0; left > 0 && skip < MOST_SKIPPED; ) {
    try {
      const rows = await claim([{ due, take: 1 }], skip);
      if (rows.length === 0) return;
      claimed.push(...rows);
      left -= 1;
    } catch (error) {
      // What is claimed is attempted all the same.
      if (isUnavailable(error)) return;
      new Logger('Webhooks').warn(error);
      skip += 1;
    }
  }
}
