import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../../../persistence/sweep.js';
import { Units } from '../../../../persistence/units.js';
import { Jobs } from '../../../../platform/jobs.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { ownId } from '../../../../shared/own-id.js';
import { ChangeRefund } from '../../application/change-refund.js';
import { Refunds } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';

const INTERVAL_MS = 5_000;
const BATCH = 10;

/** Cancels the refunds that nobody approved or rejected in time. */
@Injectable()
export class ApprovalSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly units: Units,
    private readonly refunds: Refunds,
    private readonly changeRefund: ChangeRefund,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.sweep('expire_approvals', INTERVAL_MS, (clock) => this.sweep(clock));
  }

  private async sweep(clock?: MovedClock): Promise<void> {
    await sweep<Refund>({
      limit: BATCH,
      find: (most, after) => this.refunds.overdue(most, after, clock),
      handle: (overdue) => this.expire(overdue),
    });
  }

  private async expire(overdue: readonly Refund[]): Promise<void> {
    for (const { state } of overdue) {
      const caller = { organization: state.organization, mode: state.mode };
      await this.units.commit(caller, (unit) =>
        this.changeRefund.expire(unit, ownId(unit, state.id)),
      );
    }
  }
}
