import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { Jobs } from '../../../../platform/jobs.js';
import { Clock } from '../../../../shared/clock.js';
import { LatePayments } from '../../application/ports.js';
import { RecordLatePayment } from '../../application/record-late-payment.js';

const INTERVAL_MS = 1_000;
const BATCH = 100;

/** Of two processes that find the same payment due, one records it: its reference is the session's. */
@Injectable()
export class LatePaymentWorker implements OnApplicationBootstrap {
  constructor(
    private readonly latePayments: LatePayments,
    private readonly recordLatePayment: RecordLatePayment,
    private readonly unit: UnitOfWork,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('record_late_payments', INTERVAL_MS, () => this.recordDue());
  }

  /** One that cannot be recorded keeps no other waiting: it is due again in the next round. */
  private async recordDue(): Promise<void> {
    const faults: unknown[] = [];
    for (const key of await this.latePayments.due(this.clock.now(), BATCH)) {
      await this.unit.commit(() => this.recordLatePayment.execute(key)).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }
}
