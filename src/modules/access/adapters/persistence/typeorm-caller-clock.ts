import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { statement } from '../../../../persistence/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, Clock, type Moment } from '../../../../shared/clock.js';
import { NO_ORGANIZATION, uuidOf } from '../../../../shared/id.js';
import { LookupCache } from '../../application/lookup-cache.js';

/**
 * A process may use a clock that it has read for so long. A step waits as long before it performs
 * the work that became due.
 */
const READ_AGAIN_MS = 100;
const MAX_CLOCKS = 10_000;

/** Each active shop in test mode reads it several times a second. */
const AHEAD = statement<{ organization: string }>(
  'access.test_clock',
  (value) => `SELECT ahead_seconds AS "aheadSeconds" FROM sandbox_clocks
    WHERE organization_id = ${value.organization}`,
);

@Injectable()
export class TypeormCallerClock extends CallerClock {
  private readonly read: LookupCache<number>;

  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
  ) {
    super();
    this.read = new LookupCache(clock, READ_AGAIN_MS, MAX_CLOCKS);
  }

  at(caller: Caller): Moment | Promise<Moment> {
    if ('now' in caller) return caller as Caller & Moment;
    const { organization, mode } = caller;
    if (mode === 'live' || organization === NO_ORGANIZATION) return this.moment(0);
    const ahead = this.read.get(organization, () => this.aheadOf(organization));
    return ahead instanceof Promise ? ahead.then((read) => this.moment(read)) : this.moment(ahead);
  }

  async settled(): Promise<void> {
    await sleep(READ_AGAIN_MS);
  }

  private moment(ahead: number): Moment {
    return { now: this.clock.now() + ahead, ahead };
  }

  private async aheadOf(organization: string): Promise<number> {
    const owner: Caller = { organization, mode: 'test' };
    const [row] = await this.database.read<{ readonly aheadSeconds: number }>(
      owner,
      ...AHEAD.of({ organization: uuidOf(organization) }),
    );
    return (row?.aheadSeconds ?? 0) * 1000;
  }
}
