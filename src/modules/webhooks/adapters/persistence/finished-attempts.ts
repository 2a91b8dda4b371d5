import type { Database } from '../../../../persistence/database.js';
import { isUnavailable } from '../../../../persistence/faults.js';
import { uuidOf } from '../../../../shared/id.js';

const FINISHED = `unnest($2::text[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[], $7::text[],
    $8::timestamptz[], $9::smallint[], $10::text[], $11::integer[], $12::timestamptz[])
  AS finished (mode, event_id, endpoint_id, attempt, due_at, outcome, attempted_at, status_code, error, duration_ms,
    next_attempt_at)`;
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
const MAX_BATCH = 200;

interface Finished extends PromiseWithResolvers<void> {
  readonly row: readonly unknown[];
}

/** Writes the results of attempts. Those of an organization that arrive during its write go into one statement together. */
export class FinishedAttempts {
  private readonly waiting = new Map<string, Finished[]>();

  constructor(private readonly database: Database) {}

  write(organization: string, row: readonly unknown[]): Promise<void> {
    const finished = { row, ...Promise.withResolvers<void>() };
    const others = this.waiting.get(organization);
    if (others) others.push(finished);
    else void this.writeAll(organization, [finished]);
    return finished.promise;
  }

  private async writeAll(organization: string, waiting: Finished[]): Promise<void> {
    this.waiting.set(organization, waiting);
    while (waiting.length > 0) await this.writeBatch(organization, waiting.splice(0, MAX_BATCH));
    this.waiting.delete(organization);
  }

  /** A batch that fails is written row by row, so that one bad row does not block the others. */
  private async writeBatch(organization: string, finished: readonly Finished[]): Promise<void> {
    const columns =
      finished[0]?.row.map((_, column) => finished.map(({ row }) => row[column])) ?? [];
    try {
      await this.database.autocommit({ queue: organization }, FINISH, [
        uuidOf(organization),
        ...columns,
      ]);
      for (const { resolve } of finished) resolve();
    } catch (error) {
      if (finished.length === 1 || isUnavailable(error))
        for (const { reject } of finished) reject(error);
      else for (const one of finished) await this.writeBatch(organization, [one]);
    }
  }
}
