import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { sweep } from '../../../../persistence/sweep.js';
import { Jobs } from '../../../../platform/jobs.js';
import { nameOf } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { ChangeCheckoutSession } from '../../application/change-checkout-session.js';
import { CheckoutSessions, type OverdueSession } from '../../application/ports.js';

const INTERVAL_MS = 5_000;
/** Small, so that a batch locks its rows for milliseconds only and few whole sessions are in memory for their events. */
const BATCH = 10;

/** Stores overdue sessions as expired and records their events. Reads already show an overdue session as expired before that. */
@Injectable()
export class ExpirySweeper implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly sessions: CheckoutSessions,
    private readonly changeSession: ChangeCheckoutSession,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('expire_sessions', INTERVAL_MS, () => this.sweep());
  }

  /** Expires the overdue sessions of all organizations, or those that are overdue by a moved test clock. */
  async sweep(clock?: MovedClock, limit = BATCH): Promise<void> {
    await sweep<OverdueSession>({
      limit,
      find: (most, after) => this.sessions.overdue(most, after, clock),
      handle: (overdue) => this.expire(overdue, clock?.ahead ?? 0),
    });
  }

  async expire(overdue: readonly OverdueSession[], ahead: number): Promise<void> {
    for (const owned of Map.groupBy(overdue, nameOf).values()) {
      const [{ organization, mode }] = owned as [OverdueSession];
      const places = owned.map(({ place }) => place);
      await this.database.commit(async () => this.changeSession.expireOverdue({ organization, mode, ahead }, places));
    }
  }
}
