import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { CheckoutModule } from '../checkout/index.js';
import { EventsModule } from '../events/index.js';
import { PaymentsModule } from '../payments/index.js';
import { RefundsModule } from '../refunds/index.js';
import { CheckoutSessionHelpersController } from './adapters/http/checkout-session-helpers.controller.js';
import { ClockController } from './adapters/http/clock.controller.js';
import { RefundHelpersController } from './adapters/http/refund-helpers.controller.js';
import { ClockDueWork } from './adapters/schedule/clock-due-work.js';
import { DueWork } from './application/ports.js';

/** Lets merchants simulate customers, the ledger and time in test mode. Live mode has no such routes. */
@Module({
  imports: [CheckoutModule, EventsModule, PaymentsModule, RefundsModule],
  controllers: [CheckoutSessionHelpersController, RefundHelpersController, ClockController],
  providers: [{ provide: DueWork, useClass: ClockDueWork }],
})
class SandboxModule {}

export const SANDBOX: ModuleFacts = { module: SandboxModule, records: [], jobs: ['follow_test_clocks'] };
