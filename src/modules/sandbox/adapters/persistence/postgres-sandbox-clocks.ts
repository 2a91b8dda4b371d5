import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { SandboxClocks } from '../../application/ports.js';
import { SandboxClock } from '../../domain/sandbox-clock.js';

const COLUMNS = 'ahead_seconds AS "aheadSeconds", scheduled_seconds AS "scheduledSeconds"';
const FIND = { name: 'sandbox.find', text: `SELECT ${COLUMNS} FROM sandbox_clocks WHERE organization_id = $1` };

/** Locks the clock's row. The insert makes a missing row; the update, which changes nothing, locks an existing one. */
const LOCK = {
  name: 'sandbox.lock',
  text: `INSERT INTO sandbox_clocks VALUES ($1, 0, 0)
    ON CONFLICT (organization_id) DO UPDATE SET ahead_seconds = sandbox_clocks.ahead_seconds RETURNING ${COLUMNS}`,
};
const STORE = 'UPDATE sandbox_clocks SET ahead_seconds = $2, scheduled_seconds = $3 WHERE organization_id = $1';
const MOVED = {
  name: 'sandbox.moved',
  text: `/* every organization: a process knows all clocks that were moved */
    SELECT organization_id AS organization, ahead_seconds AS "aheadSeconds" FROM sandbox_clocks`,
};

interface Row {
  readonly aheadSeconds: number;
  readonly scheduledSeconds: number;
}

@Injectable()
export class PostgresSandboxClocks extends SandboxClocks {
  constructor(private readonly database: Database) {
    super();
  }

  async get({ organization }: Caller): Promise<SandboxClock> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(organization)]);
    return SandboxClock.restore(row?.aheadSeconds ?? 0, row?.scheduledSeconds ?? 0);
  }

  async lock({ organization }: Caller): Promise<SandboxClock> {
    const [row] = await this.database.query<Row>(LOCK, [uuidOf(organization)]);
    const { aheadSeconds, scheduledSeconds } = row as Row;
    return SandboxClock.restore(aheadSeconds, scheduledSeconds);
  }

  store({ organization }: Caller, { aheadSeconds, scheduledSeconds }: SandboxClock): Part {
    const values = [uuidOf(organization), aheadSeconds, scheduledSeconds];
    return { name: 'sandbox.store', sql: STORE, values };
  }

  async moved(): Promise<MovedClock[]> {
    const rows = await this.database.read<Row & { organization: string }>(MOVED, []);
    return rows.map(({ organization, aheadSeconds }) => ({
      organization: idOf(ORGANIZATION_ID, organization),
      ahead: aheadSeconds * 1000,
    }));
  }
}
