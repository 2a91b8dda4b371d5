import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { CheckoutModule } from '../checkout/index.js';
import { PaymentsModule } from '../payments/index.js';
import { RefundsModule } from '../refunds/index.js';
import { CheckoutSessionHelpersController } from './adapters/http/checkout-session-helpers.controller.js';
import { RefundHelpersController } from './adapters/http/refund-helpers.controller.js';

/** What a merchant in test mode does in the place of customers and the ledger. Live mode has none of it. */
@Module({
  imports: [CheckoutModule, PaymentsModule, RefundsModule],
  controllers: [CheckoutSessionHelpersController, RefundHelpersController],
})
class SandboxModule {}

export const SANDBOX: ModuleFacts = { module: SandboxModule, records: [] };
