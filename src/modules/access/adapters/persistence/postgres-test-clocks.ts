import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type MovedTestClock, TestClocks } from '../../application/ports.js';
import { TestClock } from '../../domain/test-clock.js';

/** Locks the clock's row. The insert makes a missing row; the update, which changes nothing, locks an existing one. */
const LOCK = {
  name: 'access.lock_test_clock',
  text: `INSERT INTO sandbox_clocks (organization_id, ahead_seconds, scheduled_seconds) VALUES ($1, 0, 0)
    ON CONFLICT (organization_id) DO UPDATE SET ahead_seconds = sandbox_clocks.ahead_seconds
    RETURNING ahead_seconds AS "aheadSeconds", scheduled_seconds AS "scheduledSeconds"`,
};
const STORE = 'UPDATE sandbox_clocks SET ahead_seconds = $2, scheduled_seconds = $3 WHERE organization_id = $1';
const MOVED = {
  name: 'access.moved_test_clocks',
  text: `/* every organization: one job serves all clocks that were moved */
    SELECT organization_id AS organization, ahead_seconds AS "aheadSeconds", scheduled_seconds AS "scheduledSeconds"
    FROM sandbox_clocks WHERE ahead_seconds > 0 AND organization_id > $2 ORDER BY organization_id LIMIT $1`,
};

interface Row {
  readonly aheadSeconds: number;
  readonly scheduledSeconds: number;
}

@Injectable()
export class PostgresTestClocks extends TestClocks {
  constructor(private readonly database: Database) {
    super();
  }

  async lock({ organization }: Caller): Promise<TestClock> {
    const [row] = await this.database.query<Row>(LOCK, [uuidOf(organization)]);
    const { aheadSeconds, scheduledSeconds } = row as Row;
    return TestClock.restore(aheadSeconds, scheduledSeconds);
  }

  store(caller: Caller, { aheadSeconds, scheduledSeconds }: TestClock): Part {
    const values = [uuidOf(caller.organization), aheadSeconds, scheduledSeconds];
    return { name: 'access.store_test_clock', owner: caller, sql: STORE, values };
  }

  async moved(limit: number, after?: MovedTestClock): Promise<MovedTestClock[]> {
    const values = [limit, after ? uuidOf(after.organization) : FIRST_UUID];
    const rows = await this.database.read<Row & { organization: string }>({ queue: MOVED.name }, MOVED, values);
    return rows.map(({ organization, aheadSeconds, scheduledSeconds }) => ({
      organization: idOf(ORGANIZATION_ID, organization),
      mode: 'test',
      ahead: aheadSeconds * 1000,
      isBehind: scheduledSeconds < aheadSeconds,
    }));
  }
}
