import type { Database } from '../../../../platform/database/database.js';
import { isUnavailable } from '../../../../platform/database/faults.js';
import { uuidOf } from '../../../../shared/id.js';
import type { ClaimedDelivery } from '../../application/ports.js';
import type { DeliveryOutcome, MadeAttempt } from '../../domain/schedule.js';
import { NO_ENDPOINT } from './webhook-delivery.record.js';

const FINISHED = `unnest($2::text[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[], $7::smallint[],
    $8::text[], $9::integer[], $10::timestamptz[], $11::timestamptz[], $12::text[])
  AS finished (mode, event_id, endpoint_id, attempt, attempted_at, status_code, error, duration_ms, next_attempt_at,
    due_at, outcome)`;
/** The attempt number is the fencing token: a process whose lease has ended records its attempt but not the outcome. */
const FINISH = {
  name: 'webhooks.finish',
  text: `WITH recorded AS (
      INSERT INTO webhook_attempts (organization_id, mode, event_id, endpoint_id, attempt, attempted_at, status_code,
        error, duration_ms, next_attempt_at)
      SELECT organization_id, mode, event_id, endpoint_id, attempt, attempted_at, status_code, error, duration_ms,
        finished.next_attempt_at
      FROM webhook_deliveries JOIN ${FINISHED} USING (mode, event_id, endpoint_id)
      WHERE organization_id = $1 AND finished.attempted_at IS NOT NULL
    )
    UPDATE webhook_deliveries delivery SET next_attempt_at = finished.due_at, outcome = finished.outcome
    FROM ${FINISHED} WHERE delivery.organization_id = $1 AND delivery.mode = finished.mode
      AND delivery.event_id = finished.event_id AND delivery.endpoint_id = finished.endpoint_id
      AND delivery.attempts = finished.attempt AND delivery.outcome IS NULL`,
};
const MAX_WRITERS = 2;
const MAX_BATCH = 200;

interface Finished {
  readonly row: readonly unknown[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes the results of attempts. Results of one organization that arrive during a write go into one statement together. */
export class FinishedAttempts {
  private readonly waiting = new Map<string, Finished[]>();
  private writers = 0;

  constructor(private readonly database: Database) {}

  add(claimed: ClaimedDelivery, made: MadeAttempt): Promise<void> {
    const { statusCode, error, durationMs, outcome } = made;
    const [at, next, due] = [made.attemptedAt, made.nextAttemptAt, made.dueAt].map(toDate);
    return this.enqueue(claimed, [at, statusCode, error, durationMs, next, due, outcome]);
  }

  end(claimed: ClaimedDelivery, outcome: DeliveryOutcome): Promise<void> {
    return this.enqueue(claimed, [null, null, null, null, null, null, outcome]);
  }

  private enqueue({ organization, event, endpoint, attempt }: ClaimedDelivery, outcome: unknown[]): Promise<void> {
    const endpointId = endpoint ? uuidOf(endpoint.id) : NO_ENDPOINT;
    const row = [event.mode, uuidOf(event.id), endpointId, attempt, ...outcome];
    return new Promise<void>((resolve, reject) => {
      const finished = { row, resolve, reject };
      const others = this.waiting.get(organization);
      if (others) others.push(finished);
      else this.waiting.set(organization, [finished]);
      if (this.writers < MAX_WRITERS) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.writers += 1;
    for (let [next] = this.waiting; next; [next] = this.waiting) {
      const [organization, finished] = next;
      this.waiting.delete(organization);
      const later = finished.splice(MAX_BATCH);
      if (later.length > 0) this.waiting.set(organization, later);
      await this.write(organization, finished);
    }
    this.writers -= 1;
  }

  /** A batch that fails is written row by row, so that one bad row does not block the others. */
  private async write(organization: string, finished: readonly Finished[]): Promise<void> {
    const rows = finished.map(({ row }) => row);
    const columns = rows[0]?.map((_, column) => rows.map((row) => row[column])) ?? [];
    try {
      await this.database.autocommit({ organization }, FINISH, [uuidOf(organization), ...columns]);
      for (const { resolve } of finished) resolve();
    } catch (error) {
      if (finished.length === 1 || isUnavailable(error)) for (const { reject } of finished) reject(error);
      else for (const one of finished) await this.write(organization, [one]);
    }
  }
}

const toDate = (instant: number | null): Date | null => (instant === null ? null : new Date(instant));
