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
import { ClockListener } from './adapters/schedule/clock-listener.js';
import { MovedSchedules } from './adapters/schedule/moved-schedules.js';
import { WorkByTheClock } from './adapters/schedule/work-by-the-clock.js';
import { AdvanceClock } from './application/advance-clock.js';
import { HastenSchedules } from './application/hasten-schedules.js';
import { DueWork, SandboxClocks, Schedules } from './application/ports.js';
import { ReadClock } from './application/read-clock.js';

/** What a merchant in test mode does in the place of customers, the ledger and time. Live mode has none of it. */
@Module({
  imports: [CheckoutModule, EventsModule, PaymentsModule, RefundsModule],
  controllers: [CheckoutSessionHelpersController, RefundHelpersController, ClockController],
  providers: [
    AdvanceClock,
    Announcements,
    ClockListener,
    HastenSchedules,
    ReadClock,
    { provide: DueWork, useClass: WorkByTheClock },
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
