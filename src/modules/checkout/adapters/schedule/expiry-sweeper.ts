import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { drain, type Repetition, repeat } from '../../../../platform/repeat.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { ExpireOverdueSessions } from '../../application/expire-overdue-sessions.js';

const INTERVAL_MS = 5_000;
/** Small enough to hold its row locks for milliseconds, and as many whole sessions in memory for their events. */
const BATCH = 20;

/** Stores what the clock has already decided: answers and filters show a session as expired without it. */
@Injectable()
export class ExpirySweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ExpirySweeper.name);
  private repetition: Repetition | undefined;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly expireOverdueSessions: ExpireOverdueSessions,
    private readonly clock: CallerClock,
  ) {}

  onApplicationBootstrap(): void {
    this.repetition = repeat(() => this.sweepAll(), {
      job: 'expire_sessions',
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  /** Expires what is over by the moved clocks. */
  async sweepBy(clocks: readonly MovedClock[]): Promise<void> {
    for (const clock of clocks) await drain((limit) => this.sweep(limit, clock), BATCH);
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
    await drain((limit) => this.sweep(limit), BATCH);
    await this.sweepBy(this.clock.moved());
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
  }
}
