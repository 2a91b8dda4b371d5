import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../shared/clock.js';
import { CoalescedRuns } from '../shared/coalesced-runs.js';
import { firstUuidAt, LAST_UUID } from '../shared/id.js';
import type { Statement } from './batch/prepared-query.js';
import type { Database } from './database.js';

/**
 * Makes the statement that looks at a table whose rows draw their `position` from a sequence. A
 * writer locks the table before it draws a position, and until its rows are visible. Therefore this
 * statement reads the locks after the position.
 */
export const floorOf = (name: string, table: string): Statement => ({
  name,
  text: `SELECT drawn, ARRAY(
      SELECT virtualtransaction FROM pg_locks
      WHERE drawn IS NOT NULL AND locktype = 'relation' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND relation = '${table}'::regclass AND mode = 'RowExclusiveLock') AS writers
    FROM (
      SELECT coalesce(pg_sequence_last_value('${table}_position_seq'), 0) AS drawn OFFSET 0
    ) sequence`,
});

/**
 * All transactions of Tillgate end earlier: a statement takes 5 s at most, and the commit comes
 * within 10 s (data-source.ts).
 */
const LONGEST_MS = 15_000;
const WAITS = 10;
const WAIT_MS = 5;
export const LAST_POSITION = '9223372036854775807';

/**
 * Tells how far readers in ascending order may go, because transactions draw positions in one order
 * and commit in another.
 */
export class FeedFloor {
  private drawn = 0;
  /** All positions that a writer draws are greater than `after`. */
  private writers: ReadonlyMap<string, { readonly after: number; readonly seenAt: number }> =
    new Map();
  private readonly looks = new CoalescedRuns(() => this.look());

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly statement: Statement,
  ) {}

  /**
   * Returns the last readable position, and the end of the UUIDs. On Citus, where the rows have no
   * positions, their age decides.
   */
  async read(): Promise<readonly [position: number | string, end: string]> {
    if (this.database.isDistributed)
      return [LAST_POSITION, firstUuidAt(this.clock.now() - LONGEST_MS)];
    const { drawn, floor } = await this.looks.next();
    let reached = floor;
    for (let waits = 0; reached < drawn && waits < WAITS; waits++) {
      await sleep(WAIT_MS);
      reached = (await this.looks.next()).floor;
    }
    return [reached, LAST_UUID];
  }

  private async look() {
    type Look = { readonly drawn: number; readonly writers: readonly string[] };
    const [{ drawn, writers }] = (await this.database.read<Look>(
      { queue: this.statement.name },
      this.statement,
      [],
    )) as [Look];
    const seenAt = this.clock.monotonic();
    this.writers = new Map(
      writers.map((writer) => [writer, this.writers.get(writer) ?? { after: this.drawn, seenAt }]),
    );
    this.drawn = drawn;
    const waitedFor = [...this.writers.values()].filter(
      (writer) => seenAt - writer.seenAt < LONGEST_MS,
    );
    return { drawn, floor: Math.min(drawn, ...waitedFor.map(({ after }) => after)) };
  }
}
