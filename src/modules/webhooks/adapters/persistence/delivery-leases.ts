/**
 * This file has both ends of a lease: deliveries are claimed for this process, and their attempts
 * are recorded.
 */
import { Logger } from '@nestjs/common';
import type { Database } from '../../../../persistence/database.js';
import { isUnavailable } from '../../../../persistence/faults.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import { uuidOf } from '../../../../shared/id.js';
import { type Event, eventFrom } from '../../../events/index.js';
import type { ClaimedDelivery, ClaimedEndpoint, Share } from '../../application/ports.js';
import type { SealedSecrets } from './typeorm-webhook-endpoints.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const SENT_TO = `url, enabled, secret, previous_secret AS previous,
  ${milliseconds('previous_secret_expires_at')} AS "previousExpiresAt",
  ${milliseconds('failing_since')} AS "failingSince"`;
/** The number is the largest smallint. A delivery is given up long before. */
const MOST_ATTEMPTS = 32_767;
/** One claim passes over so many deliveries of a receiver that cannot be claimed. */
const MOST_SKIPPED = 100;

interface Claimed {
  readonly organization: string;
  /** The two lists have the same length: so many deliveries of each receiver are taken. */
  readonly receivers: readonly string[];
  readonly takes: readonly number[];
  readonly now: Date;
  readonly leaseEnd: Date;
  readonly skip: number;
}

/**
 * If two instances find the same delivery due, one locks it; the other skips it, or sees its lease.
 * Each event is found as the first one from its ID on: before the first ANALYZE, a join by ID read
 * all events of the organization for each delivery. RETURNING reads the time at which the delivery
 * was due, which the update replaces.
 */
const CLAIM = statement<Claimed>('webhooks.claim', (claim) => {
  const { organization } = claim;
  const event = { organization, mode: 'claimed.mode', id: 'claimed.event_id' };
  return `/* both modes: a receiver has deliveries of either */ WITH claimed AS (
      UPDATE webhook_deliveries AS delivery
      SET attempts = least(attempts + 1, ${MOST_ATTEMPTS}), next_attempt_at = ${claim.leaseEnd}
      WHERE organization_id = ${organization} AND ctid = ANY (ARRAY(
        SELECT free.place FROM unnest(${claim.receivers}::text[], ${claim.takes}::integer[])
          AS share (receiver, take)
        CROSS JOIN LATERAL (
          SELECT ctid AS place FROM webhook_deliveries
          WHERE organization_id = ${organization} AND receiver = share.receiver
            AND next_attempt_at <= ${claim.now}
          ORDER BY next_attempt_at, event_id LIMIT share.take OFFSET ${claim.skip}
          FOR UPDATE SKIP LOCKED) AS free))
      RETURNING mode, event_id, endpoint_id, url, receiver, attempts, (
        SELECT nullif(next_attempt_at, '-infinity') FROM webhook_deliveries
        WHERE organization_id = ${organization} AND mode = delivery.mode
          AND event_id = delivery.event_id AND endpoint_id = delivery.endpoint_id) AS due_at
    )
    SELECT coalesce(endpoint.url, claimed.url) AS url, claimed.receiver AS stored,
      attempts AS attempt, ${milliseconds('due_at')} AS "dueAt",
      event.id, type, event.mode, event.sequence, data, reason, details,
      nullif(endpoint_id, '${NO_ENDPOINT}') AS "endpointId", endpoint.enabled IS TRUE AS enabled,
      secret, previous, "previousExpiresAt", "failingSince"
    FROM claimed CROSS JOIN LATERAL (${eventFrom(event)}) AS event
    LEFT JOIN LATERAL (
      SELECT ${SENT_TO} FROM webhook_endpoints
      WHERE organization_id = ${organization} AND mode = claimed.mode AND id = claimed.endpoint_id
      UNION ALL
      SELECT ${SENT_TO} FROM ledger_webhook_endpoints
      WHERE mode = claimed.mode AND id = claimed.endpoint_id
    ) AS endpoint ON true
    WHERE event.id = claimed.event_id ORDER BY event.id`;
});

type Shown = Pick<ClaimedDelivery, 'url' | 'stored' | 'attempt' | 'dueAt'> &
  Omit<ClaimedEndpoint, 'id'>;

export interface ClaimedRow extends Event, SealedSecrets, Shown {
  readonly endpointId: string | null;
}

type Claim = (shares: readonly Share[], skip?: number) => Promise<readonly ClaimedRow[]>;

/**
 * Claims all shares in one statement. If it fails, claims one delivery at a time, without those
 * that cannot be claimed.
 */
export async function claimShares(
  database: Database,
  organization: string,
  shares: readonly Share[],
  { now, leaseEnd }: Pick<Claimed, 'now' | 'leaseEnd'>,
): Promise<readonly ClaimedRow[]> {
  const claim: Claim = async (some, skip = 0) => {
    const receivers = some.map(({ due }) => due.stored);
    const takes = some.map(({ take }) => take);
    const values = { organization: uuidOf(organization), receivers, takes, now, leaseEnd, skip };
    const { rows } = await database.autocommit<ClaimedRow>(
      { queue: organization },
      ...CLAIM.of(values),
    );
    return rows;
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
      // The claimed deliveries are attempted all the same.
      if (isUnavailable(error)) return;
      new Logger('Webhooks').warn(error);
      skip += 1;
    }
  }
}

/**
 * This is a delivery with its attempt. A delivery that was ended without an attempt has no
 * `attempted_at`.
 */
export interface FinishedAttempt {
  readonly mode: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly attempt: number;
  readonly due_at: Date | null;
  readonly outcome: string | null;
  readonly attempted_at: Date | null;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly next_attempt_at: Date | null;
}

const COLUMNS: Readonly<Record<keyof FinishedAttempt, string>> = {
  mode: 'mode',
  event_id: 'uuid',
  endpoint_id: 'uuid',
  attempt: 'smallint',
  due_at: 'timestamptz',
  outcome: 'delivery_outcome',
  attempted_at: 'timestamptz',
  status_code: 'smallint',
  error: 'text',
  duration_ms: 'integer',
  next_attempt_at: 'timestamptz',
};
const NAMES = Object.keys(COLUMNS) as (keyof FinishedAttempt)[];

/** Each column is a list, with a value for each attempt. */
type Columns = { readonly [Column in keyof FinishedAttempt]: readonly FinishedAttempt[Column][] };

function finishedRows(columns: Places<Columns>): string {
  const lists = NAMES.map((name) => `${columns[name]}::${COLUMNS[name]}[]`);
  return `unnest(${lists.join(', ')}) AS finished (${NAMES.join(', ')})`;
}

/**
 * The attempt number is the fencing token: a process whose lease has ended records its attempt but
 * not the outcome. Each delivery is looked up by itself, because a join would read all deliveries
 * of the organization.
 */
const FINISH = statement<Columns & { readonly organization: string }>(
  'webhooks.finish',
  (columns) => `WITH recorded AS (
      INSERT INTO webhook_attempts (organization_id, mode, event_id, endpoint_id, attempt,
        attempted_at, status_code, error, duration_ms, next_attempt_at)
      SELECT ${columns.organization}::uuid, mode, event_id, endpoint_id, attempt, attempted_at,
        status_code, error, duration_ms, next_attempt_at
      FROM ${finishedRows(columns)} CROSS JOIN LATERAL (
        SELECT FROM webhook_deliveries
        WHERE organization_id = ${columns.organization} AND mode = finished.mode
          AND event_id = finished.event_id AND endpoint_id = finished.endpoint_id LIMIT 1
      ) AS stored
      WHERE finished.attempted_at IS NOT NULL
    )
    UPDATE webhook_deliveries delivery
    SET next_attempt_at = finished.due_at, outcome = finished.outcome
    FROM ${finishedRows(columns)}
    WHERE delivery.organization_id = ${columns.organization} AND delivery.mode = finished.mode
      AND delivery.event_id = finished.event_id AND delivery.endpoint_id = finished.endpoint_id
      AND delivery.attempts = finished.attempt AND delivery.outcome IS NULL`,
);
const MAX_BATCH = 200;

interface Waiting extends PromiseWithResolvers<void> {
  readonly made: FinishedAttempt;
}

/**
 * Writes the results of attempts. Results of an organization that arrive during its write go into
 * the next statement together.
 */
export class FinishedAttempts {
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly database: Database) {}

  write(organization: string, made: FinishedAttempt): Promise<void> {
    const finished = { made, ...Promise.withResolvers<void>() };
    const others = this.waiting.get(organization);
    if (others) others.push(finished);
    else void this.writeAll(organization, [finished]);
    return finished.promise;
  }

  private async writeAll(organization: string, waiting: Waiting[]): Promise<void> {
    this.waiting.set(organization, waiting);
    while (waiting.length > 0) await this.writeBatch(organization, waiting.splice(0, MAX_BATCH));
    this.waiting.delete(organization);
  }

  /**
   * Writes a batch. A batch that fails is written row by row, so that one bad row does not block
   * the others.
   */
  private async writeBatch(organization: string, finished: readonly Waiting[]): Promise<void> {
    const columns = NAMES.map((name) => [name, finished.map(({ made }) => made[name])]);
    const values = { organization: uuidOf(organization), ...Object.fromEntries(columns) };
    try {
      await this.database.autocommit({ queue: organization }, ...FINISH.of(values));
      for (const { resolve } of finished) resolve();
    } catch (error) {
      if (finished.length === 1 || isUnavailable(error))
        for (const { reject } of finished) reject(error);
      else for (const one of finished) await this.writeBatch(organization, [one]);
    }
  }
}
