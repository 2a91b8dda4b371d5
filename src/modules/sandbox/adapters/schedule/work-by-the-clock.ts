import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import type { Caller } from '../../../../shared/caller.js';
import { ExpirySweeper } from '../../../checkout/index.js';
import { DueDeliveries } from '../../../events/index.js';
import { HastenSchedules } from '../../application/hasten-schedules.js';
import { DueWork } from '../../application/ports.js';
import { Announcements } from './announcements.js';
import { MovedClocks } from './moved-clocks.js';

/** Longer than one attempt that is not answered, and shorter than clients wait. */
const PATIENCE_MS = 20_000;

@Injectable()
export class WorkByTheClock extends DueWork {
  constructor(
    private readonly announcements: Announcements,
    private readonly unit: UnitOfWork,
    private readonly hastenSchedules: HastenSchedules,
    private readonly clocks: MovedClocks,
    private readonly expiry: ExpirySweeper,
    private readonly deliveries: DueDeliveries,
  ) {
    super();
  }

  async perform(caller: Caller): Promise<void> {
    await this.announcements.announce();
    await this.unit.commit(() => this.hastenSchedules.execute(caller));
    const { organization } = caller;
    await this.expiry.sweepBy([{ organization, ahead: this.clocks.at(caller).ahead }]);
    await this.deliveries.deliver(caller, PATIENCE_MS);
  }
}
