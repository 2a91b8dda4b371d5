import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import type { Caller } from '../../../../shared/caller.js';
import { decided } from '../../../../shared/decision.js';
import { Captures } from '../../application/captures.js';
import { LatePayments } from '../../application/ports.js';
import type { PageSession } from '../../domain/checkout-page.js';

/** Long enough to see that the page waits. */
const LATE_MS = 5_000;

@Injectable()
export class TimedLatePayments extends LatePayments implements OnModuleDestroy {
  private readonly logger = new Logger(TimedLatePayments.name);
  private readonly expected = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly captures: Captures,
    private readonly unit: Database,
  ) {
    super();
  }

  expect(caller: Caller, session: PageSession): void {
    if (this.expected.has(session.id)) return;
    const record = async () => decided(null, ...(await this.captures.record(caller, session)));
    const timer = setTimeout(() => {
      this.expected.delete(session.id);
      this.unit.commit(record).catch((error: unknown) => this.logger.warn(error));
    }, LATE_MS);
    this.expected.set(session.id, timer);
  }

  onModuleDestroy(): void {
    for (const timer of this.expected.values()) clearTimeout(timer);
  }
}
