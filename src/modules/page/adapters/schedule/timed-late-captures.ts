import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/unit-of-work.js';
import { LateCaptures, type PageKey } from '../../application/ports.js';
import { RecordLatePayment } from '../../application/record-late-payment.js';

/** Long enough to see the page wait. */
const LATE_MS = 5_000;
const MAX_EXPECTED = 1_000;

interface Expected {
  readonly key: PageKey;
  readonly timer: NodeJS.Timeout;
}

/** Kept in this process: it is for trying out, and what is still expected at the end comes then. */
@Injectable()
export class TimedLateCaptures extends LateCaptures implements BeforeApplicationShutdown {
  private readonly log = new Logger(TimedLateCaptures.name);
  private readonly expected = new Map<string, Expected>();

  constructor(
    private readonly recordLatePayment: RecordLatePayment,
    private readonly unit: UnitOfWork,
  ) {
    super();
  }

  expect(key: PageKey): void {
    if (this.expected.has(key.session) || this.expected.size === MAX_EXPECTED) return;
    const timer = setTimeout(() => void this.capture(key), LATE_MS);
    this.expected.set(key.session, { key, timer });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.expected.values()].map(({ key }) => this.capture(key)));
  }

  private async capture(key: PageKey): Promise<void> {
    clearTimeout(this.expected.get(key.session)?.timer);
    this.expected.delete(key.session);
    await this.unit.commit(() => this.recordLatePayment.execute(key)).catch((error) => this.log.error(error));
  }
}
