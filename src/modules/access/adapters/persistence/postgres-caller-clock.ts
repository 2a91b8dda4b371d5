import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, Clock, type Moment, type MovedClock } from '../../../../shared/clock.js';
import { idOf, NO_ORGANIZATION, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { Lookups } from '../../application/lookups.js';

/** How long a process may use a clock that it has read. A step takes as long before it does what became due. */
const READ_AGAIN_MS = 100;
const MAX_CLOCKS = 10_000;

const AHEAD = {
  name: 'access.test_clock',
  text: 'SELECT ahead_seconds AS seconds FROM sandbox_clocks WHERE organization_id = $1',
};
const MOVED = {
  name: 'access.moved_test_clocks',
  text: `/* every organization: one job serves all clocks that were moved */
    SELECT organization_id AS organization, ahead_seconds AS seconds FROM sandbox_clocks WHERE ahead_seconds > 0`,
};

interface Ahead {
  readonly seconds: number;
}

@Injectable()
export class PostgresCallerClock extends CallerClock {
  private readonly read: Lookups<number>;
  private readonly inTransactions = new WeakMap<object, Lookups<number>>();

  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
  ) {
    super();
    this.read = new Lookups(clock, READ_AGAIN_MS, MAX_CLOCKS);
  }

  at({ organization, mode }: Caller): Moment | Promise<Moment> {
    if (mode === 'live' || organization === NO_ORGANIZATION) return this.moment(0);
    const ahead = this.lookups().get(organization, () => this.aheadOf(organization));
    return ahead instanceof Promise ? ahead.then((read) => this.moment(read)) : this.moment(ahead);
  }

  async moved(): Promise<MovedClock[]> {
    const rows = await this.database.read<Ahead & { organization: string }>({ queue: MOVED.name }, MOVED, []);
    return rows.map(({ organization, seconds }) => ({
      organization: idOf(ORGANIZATION_ID, organization),
      ahead: seconds * 1000,
    }));
  }

  async settled(): Promise<void> {
    await sleep(READ_AGAIN_MS);
  }

  /** A lookup that others share may wait for a connection, even for that of this transaction, which sends one query at a time. */
  private lookups(): Lookups<number> {
    const transaction = this.database.openTransaction;
    if (!transaction) return this.read;
    const own = this.inTransactions.get(transaction) ?? new Lookups<number>(this.clock, READ_AGAIN_MS, MAX_CLOCKS);
    this.inTransactions.set(transaction, own);
    return own;
  }

  private moment(ahead: number): Moment {
    return { now: this.clock.now() + ahead, ahead };
  }

  private async aheadOf(organization: string): Promise<number> {
    const [row] = await this.database.read<Ahead>({ organization }, AHEAD, [uuidOf(organization)]);
    return (row?.seconds ?? 0) * 1000;
  }
}
