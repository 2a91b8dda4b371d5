import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import type { Caller } from '../../../../shared/caller.js';
import { FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type MovedTestClock, TestClocks } from '../../application/ports.js';
import type { TestClock } from '../../domain/test-clock.js';
import { TestClockRecord } from './test-clock.record.js';

@Injectable()
export class TypeormTestClocks extends TestClocks {
  constructor(private readonly database: Database) {
    super();
  }

  async lock(caller: Caller): Promise<TestClock> {
    const clocks = this.database.repository(TestClockRecord);
    const unmoved = { ...keyOf(caller), aheadSeconds: 0, scheduledSeconds: 0 };
    await clocks.createQueryBuilder().insert().values(unmoved).orIgnore().execute();
    return clocks.findOneOrFail({ where: keyOf(caller), lock: { mode: 'pessimistic_write' } });
  }

  async store(caller: Caller, { aheadSeconds, scheduledSeconds }: TestClock): Promise<void> {
    await this.database.repository(TestClockRecord).update(keyOf(caller), { aheadSeconds, scheduledSeconds });
  }

  async moved(limit: number, after?: MovedTestClock): Promise<MovedTestClock[]> {
    const organizationId = MoreThan(after ? uuidOf(after.organization) : FIRST_UUID);
    const rows = await this.database.reading({ queue: 'moved test clocks' }, (manager) =>
      manager.find(TestClockRecord, {
        where: { aheadSeconds: MoreThan(0), organizationId },
        order: { organizationId: 'ASC' },
        take: limit,
        comment: 'every organization: one job serves all clocks that were moved',
      }),
    );
    return rows.map(({ organizationId, aheadSeconds, scheduledSeconds }) => ({
      organization: idOf(ORGANIZATION_ID, organizationId),
      mode: 'test',
      ahead: aheadSeconds * 1000,
      isBehind: scheduledSeconds < aheadSeconds,
    }));
  }
}

const keyOf = ({ organization }: Caller) => ({ organizationId: uuidOf(organization) });
