import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import type { Caller } from '../../../../shared/caller.js';
import { ExpirySweeper } from '../../../checkout/index.js';
import { DueDeliveries } from '../../../events/index.js';
import { AdvanceSchedules } from '../../application/advance-schedules.js';
import { DueWork } from '../../application/ports.js';
import { Announcements } from './announcements.js';
import { MovedClocks } from './moved-clocks.js';

/** Longer than the timeout of a delivery attempt, and shorter than the usual timeout of clients. */
const MAX_WAIT_MS = 20_000;

@Injectable()
export class ClockDueWork extends DueWork {
  constructor(
    private readonly announcements: Announcements,
    private readonly unit: UnitOfWork,
    private readonly advanceSchedules: AdvanceSchedules,
    private readonly clocks: MovedClocks,
    private readonly expiry: ExpirySweeper,
    private readonly deliveries: DueDeliveries,
  ) {
    super();
  }

  async perform(caller: Caller): Promise<void> {
    await this.announcements.announce();
    await this.unit.commit(() => this.advanceSchedules.execute(caller));
    const { organization } = caller;
    await this.expiry.sweepBy([{ organization, ahead: this.clocks.at(caller).ahead }]);
    await this.deliveries.deliver(caller, MAX_WAIT_MS);
  }
}
