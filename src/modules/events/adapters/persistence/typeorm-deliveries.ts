import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { compose, insertPart } from '../../../../platform/database/statement.js';
import type { Mode } from '../../../../shared/caller.js';
import { idOf, uuidOf } from '../../../../shared/id.js';
import { type ClaimedDelivery, Deliveries, type DueDelivery } from '../../application/ports.js';
import type { Event } from '../../domain/event.js';
import type { AttemptResult, Verdict } from '../../domain/schedule.js';

const DUE = {
  name: 'webhooks.due',
  text: `SELECT organization_id AS organization, mode, event_id AS event, receiver FROM webhook_deliveries
    WHERE next_attempt_at <= $1 AND receiver <> ALL ($2::text[]) ORDER BY next_attempt_at LIMIT $3`,
};

/** Of two instances that found the same delivery due, one locks it; the other passes it by, or sees the lease. */
const CLAIM = {
  name: 'webhooks.claim',
  text: `WITH free AS (
      SELECT organization_id, mode, event_id FROM webhook_deliveries
      WHERE (organization_id, mode, event_id) IN (SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[]))
        AND next_attempt_at <= $4
      FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE webhook_deliveries delivery SET attempts = attempts + 1, next_attempt_at = $5 FROM free
      WHERE delivery.organization_id = free.organization_id AND delivery.mode = free.mode
        AND delivery.event_id = free.event_id
      RETURNING delivery.*
    )
    SELECT claimed.organization_id AS organization, url, receiver, attempts AS attempt,
      id, type, event.mode, sequence, data
    FROM claimed JOIN events event ON event.organization_id = claimed.organization_id
      AND event.mode = claimed.mode AND event.id = claimed.event_id`,
};

/** The attempt number is the fencing token: a process whose lease ran out records its attempt and decides nothing. */
const FINISH = compose(
  'webhooks.finish',
  insertPart('webhook_attempts', [
    'organization_id',
    'mode',
    'event_id',
    'attempt',
    'attempted_at',
    'status_code',
    'error',
    'duration_ms',
    'next_attempt_at',
  ]),
  {
    parameters: 6,
    sql: `UPDATE webhook_deliveries SET next_attempt_at = $5, outcome = $6
      WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND attempts = $4 AND outcome IS NULL`,
  },
);

const OWNER = {
  name: 'webhooks.owner',
  text: 'SELECT organization_id AS organization, mode FROM events WHERE id = $1',
};
const RESEND = {
  name: 'webhooks.resend',
  text: `UPDATE webhook_deliveries SET next_attempt_at = $4, outcome = NULL
    WHERE organization_id = $1 AND mode = $2 AND event_id = $3`,
};

@Injectable()
export class TypeormDeliveries extends Deliveries {
  constructor(private readonly database: Database) {
    super();
  }

  async due(now: number, except: readonly string[], limit: number): Promise<DueDelivery[]> {
    const rows = await this.database.read<DueDelivery>(DUE, [new Date(now), except, limit]);
    return rows.map(({ organization, event, ...rest }) => ({
      ...rest,
      organization: idOf('org', organization),
      event: idOf('evt', event),
    }));
  }

  async claim(due: readonly DueDelivery[], now: number, leaseEnd: number): Promise<ClaimedDelivery[]> {
    const organizations = due.map(({ organization }) => uuidOf(organization));
    const modes = due.map(({ mode }) => mode);
    const events = due.map(({ event }) => uuidOf(event));
    const values = [organizations, modes, events, new Date(now), new Date(leaseEnd)];
    return (await this.database.query<ClaimedRow>(CLAIM, values)).map(fromRow);
  }

  async finish(claimed: ClaimedDelivery, attemptedAt: number, result: AttemptResult & Verdict): Promise<void> {
    const { organization, event, attempt } = claimed;
    const { statusCode, error, durationMs, outcome } = result;
    const next = result.nextAttemptAt === null ? null : new Date(result.nextAttemptAt);
    const key = [uuidOf(organization), event.mode, uuidOf(event.id), attempt];
    const values = [...key, new Date(attemptedAt), statusCode, error, durationMs, next, ...key, next, outcome];
    await this.database.write(FINISH, values);
  }

  async resend(event: string, at: number): Promise<'due' | 'unknown' | 'no_receiver'> {
    const [owner] = await this.database.read<{ organization: string; mode: Mode }>(OWNER, [uuidOf(event)]);
    if (!owner) return 'unknown';
    const values = [owner.organization, owner.mode, uuidOf(event), new Date(at)];
    return (await this.database.write(RESEND, values)) === 1 ? 'due' : 'no_receiver';
  }
}

interface ClaimedRow extends Event {
  readonly organization: string;
  readonly url: string;
  readonly receiver: string;
  readonly attempt: number;
}

function fromRow({ organization, url, receiver, attempt, ...event }: ClaimedRow): ClaimedDelivery {
  const id = idOf('evt', event.id);
  return { organization: idOf('org', organization), url, receiver, attempt, event: { ...event, id } };
}
