import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../../../persistence/sweep.js';
import { Units } from '../../../../persistence/units.js';
import { Jobs } from '../../../../platform/jobs.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { PayFromPage } from '../../application/pay-from-page.js';
import { type DueTransfer, Pages } from '../../application/ports.js';

const INTERVAL_MS = 5_000;
const BATCH = 10;

@Injectable()
export class TransferSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly units: Units,
    private readonly pages: Pages,
    private readonly payFromPage: PayFromPage,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.sweep('receive_transfers', INTERVAL_MS, (clock) => this.sweep(clock));
  }

  private async sweep(clock?: MovedClock): Promise<void> {
    await sweep<DueTransfer>({
      limit: BATCH,
      find: (most, after) => this.pages.dueTransfers(most, after, clock),
      handle: async (due) => {
        for (const transfer of due)
          await this.units.commit(transfer.caller, (unit) =>
            this.payFromPage.receive(unit, transfer),
          );
      },
    });
  }
}
