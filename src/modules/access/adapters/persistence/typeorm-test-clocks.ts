import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Moment } from '../../../../shared/clock.js';
import {
  FIRST_UUID,
  idOf,
  NO_ORGANIZATION,
  ORGANIZATION_ID,
  uuidOf,
} from '../../../../shared/id.js';
import type { Unit, Work } from '../../../../shared/unit.js';
import { TestClocks } from '../../application/ports.js';
import type { TestClock } from '../../domain/test-clock.js';
import { TestClockRecord } from './test-clock.record.js';

@Injectable()
export class TypeormTestClocks extends TestClocks {
  constructor(private readonly database: Database) {
    super();
  }

  async within(unit: Work, caller: Caller): Promise<Moment> {
    const realTime = unit.now - unit.ahead;
    const isReal = caller.mode === 'live' || caller.organization === NO_ORGANIZATION;
    if (isReal) return { now: realTime, ahead: 0 };
    const clock = await this.database.inTransaction(unit, ({ manager }) =>
      manager.findOneBy(TestClockRecord, keyOf(caller)),
    );
    const ahead = (clock?.aheadSeconds ?? 0) * 1000;
    return { now: realTime + ahead, ahead };
  }

  async lock(unit: Unit): Promise<TestClock> {
    return this.database.inTransaction(unit, async ({ manager }) => {
      const unmoved = { ...keyOf(unit), aheadSeconds: 0, scheduledSeconds: 0 };
      const insert = manager.createQueryBuilder().insert().into(TestClockRecord).values(unmoved);
      await insert.orIgnore().execute();
      const lock = { mode: 'pessimistic_write' } as const;
      return manager.findOneOrFail(TestClockRecord, { where: keyOf(unit), lock });
    });
  }

  store(unit: Unit, { aheadSeconds, scheduledSeconds }: TestClock): void {
    const change = { aheadSeconds, scheduledSeconds };
    this.database.atCommit(unit, ({ manager }) =>
      manager.update(TestClockRecord, keyOf(unit), change),
    );
  }

  async moved(limit: number, after?: Caller): Promise<readonly (Caller & TestClock)[]> {
    const organizationId = MoreThan(after ? uuidOf(after.organization) : FIRST_UUID);
    const rows = await this.database.reading({ queue: 'moved test clocks' }, (manager) =>
      manager.find(TestClockRecord, {
        where: { aheadSeconds: MoreThan(0), organizationId },
        order: { organizationId: 'ASC' },
        take: limit,
        comment: 'every organization: one job serves all clocks that were moved',
      }),
    );
    return rows.map(({ organizationId, aheadSeconds, scheduledSeconds }) => {
      const organization = idOf(ORGANIZATION_ID, organizationId);
      return { organization, mode: 'test', aheadSeconds, scheduledSeconds };
    });
  }
}

const keyOf = ({ organization }: Caller) => ({ organizationId: uuidOf(organization) });
