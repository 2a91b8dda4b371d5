import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { type Repetition, repeat } from '../../../../platform/repeat.js';
import { Clock } from '../../../../shared/clock.js';
import { LatePayments } from '../../application/ports.js';
import { RecordLatePayment } from '../../application/record-late-payment.js';

const INTERVAL_MS = 1_000;
const BATCH = 100;

/** Of two processes that find the same payment due, one records it: its reference is the session's. */
@Injectable()
export class LatePaymentWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(LatePaymentWorker.name);
  private repetition: Repetition | undefined;

  constructor(
    private readonly latePayments: LatePayments,
    private readonly recordLatePayment: RecordLatePayment,
    private readonly unit: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.repetition = repeat(() => this.recordDue(), {
      job: 'record_late_payments',
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
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
