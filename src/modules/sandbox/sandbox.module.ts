import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { CheckoutModule } from '../checkout/index.js';
import { EventsModule } from '../events/index.js';
import { PaymentsModule } from '../payments/index.js';
import { RefundsModule } from '../refunds/index.js';
import { CheckoutSessionHelpersController } from './adapters/http/checkout-session-helpers.controller.js';
import { ClockController } from './adapters/http/clock.controller.js';
import { RefundHelpersController } from './adapters/http/refund-helpers.controller.js';
import { PostgresSandboxClocks } from './adapters/persistence/postgres-sandbox-clocks.js';
import { SandboxClockRecord } from './adapters/persistence/sandbox-clock.record.js';
import { Announcements } from './adapters/schedule/announcements.js';
import { ClockDueWork } from './adapters/schedule/clock-due-work.js';
import { ClockListener } from './adapters/schedule/clock-listener.js';
import { MovedSchedules } from './adapters/schedule/moved-schedules.js';
import { AdvanceClock } from './application/advance-clock.js';
import { AdvanceSchedules } from './application/advance-schedules.js';
import { DueWork, SandboxClocks, Schedules } from './application/ports.js';
import { ReadClock } from './application/read-clock.js';

/** Lets merchants simulate customers, the ledger and time in test mode. Live mode has no such routes. */
@Module({
  imports: [CheckoutModule, EventsModule, PaymentsModule, RefundsModule],
  controllers: [CheckoutSessionHelpersController, RefundHelpersController, ClockController],
  providers: [
    AdvanceClock,
    Announcements,
    ClockListener,
    AdvanceSchedules,
    ReadClock,
    { provide: DueWork, useClass: ClockDueWork },
    { provide: SandboxClocks, useClass: PostgresSandboxClocks },
    { provide: Schedules, useClass: MovedSchedules },
  ],
})
class SandboxModule {}

export const SANDBOX: ModuleFacts = {
  module: SandboxModule,
  records: [SandboxClockRecord],
  jobs: ['hear_announcements'],
};
