import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { Jobs } from '../../../../platform/jobs.js';
import { Clock } from '../../../../shared/clock.js';
import { LatePayments } from '../../application/ports.js';
import { RecordLatePayment } from '../../application/record-late-payment.js';

const INTERVAL_MS = 1_000;
const BATCH = 100;

/** If two processes find the same payment due, its reference lets only one record it. */
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

  private async recordDue(): Promise<void> {
    const faults: unknown[] = [];
    for (const key of await this.latePayments.due(this.clock.now(), BATCH)) {
      const record = () => this.recordLatePayment.execute(key);
      await this.unit.commit(record).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }
}
