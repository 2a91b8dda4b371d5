import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { inBatches, Jobs } from '../../../../platform/jobs.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { ExpireOverdueSessions } from '../../application/expire-overdue-sessions.js';

const INTERVAL_MS = 5_000;
/** Small enough to hold its row locks for milliseconds, and as many whole sessions in memory for their events. */
const BATCH = 20;

/** Stores what the clock has already decided: answers and filters show a session as expired without it. */
@Injectable()
export class ExpirySweeper implements OnApplicationBootstrap {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly expireOverdueSessions: ExpireOverdueSessions,
    private readonly clock: CallerClock,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('expire_sessions', INTERVAL_MS, () => this.sweepAll());
  }

  /** Expires what is over by the moved clocks. */
  async sweepBy(clocks: readonly MovedClock[]): Promise<void> {
    for (const clock of clocks) await inBatches((limit) => this.sweep(limit, clock), BATCH);
  }

  /** Expires up to `limit` sessions, those of an organization together, and returns how many. */
  async sweep(limit: number, clock?: MovedClock): Promise<number> {
    let expired = 0;
    for (const overdue of await this.expireOverdueSessions.find(limit, clock)) {
      expired += await this.unit.commit(() => this.expireOverdueSessions.execute(overdue));
    }
    return expired;
  }

  private async sweepAll(): Promise<void> {
    await inBatches((limit) => this.sweep(limit), BATCH);
    await this.sweepBy(this.clock.moved());
  }
}
