import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, Clock, type Moment } from '../../../../shared/clock.js';
import { NO_ORGANIZATION, uuidOf } from '../../../../shared/id.js';
import { LookupCache } from '../../application/lookup-cache.js';
import { TestClockRecord } from './test-clock.record.js';

/**
 * A process may use a clock that it has read for so long. A step waits as long before it performs
 * the work that became due.
 */
const READ_AGAIN_MS = 100;
const MAX_CLOCKS = 10_000;

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
    const key = { organizationId: uuidOf(organization) };
    const row = await this.database.reading({ organization, mode: 'test' }, (manager) =>
      manager.findOneBy(TestClockRecord, key),
    );
    return (row?.aheadSeconds ?? 0) * 1000;
  }
}
