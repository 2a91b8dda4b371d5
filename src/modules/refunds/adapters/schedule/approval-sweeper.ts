import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { sweep } from '../../../../persistence/sweep.js';
import { Jobs } from '../../../../platform/jobs.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { DecideApproval } from '../../application/decide-approval.js';
import { Approvals, type OverdueApproval } from '../../application/ports.js';

const INTERVAL_MS = 5_000;
const BATCH = 10;

/** Cancels the refunds that nobody approved or rejected in time. */
@Injectable()
export class ApprovalSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly approvals: Approvals,
    private readonly decideApproval: DecideApproval,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('expire_approvals', INTERVAL_MS, () => this.sweep());
  }

  /** Expires the overdue approvals of all organizations, or those that are overdue by a moved test clock. */
  async sweep(clock?: MovedClock): Promise<void> {
    await sweep<OverdueApproval>({
      limit: BATCH,
      find: (most, after) => this.approvals.overdue(most, after, clock),
      handle: (overdue) => this.expire(overdue),
    });
  }

  private async expire(overdue: readonly OverdueApproval[]): Promise<void> {
    for (const { id, organization, mode } of overdue) {
      await this.database.commit(() => this.decideApproval.expire({ organization, mode }, id));
    }
  }
}
