import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { inBatches, Jobs } from '../../../../platform/jobs.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { ExpireOverdueSessions } from '../../application/expire-overdue-sessions.js';

const INTERVAL_MS = 5_000;
/** Small, so that a batch locks its rows for milliseconds only and few whole sessions are in memory for their events. */
const BATCH = 20;

/** Stores overdue sessions as expired and records their events. Reads already show an overdue session as expired before that. */
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

  /** Expires the sessions that are overdue by moved test clocks. */
  async sweepBy(clocks: readonly MovedClock[]): Promise<void> {
    for (const clock of clocks) await inBatches((limit) => this.sweep(limit, clock), BATCH);
  }

  /** Expires up to `limit` sessions, with one transaction for each organization. Returns how many it expired. */
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
