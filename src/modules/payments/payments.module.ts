import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { CheckoutModule } from '../checkout/index.js';
import { EventsModule, recordedBy } from '../events/index.js';
import { CheckoutSessionHelpersController } from './adapters/http/checkout-session-helpers.controller.js';
import { LedgerHoldsController } from './adapters/http/ledger-holds.controller.js';
import { LedgerPaymentsController } from './adapters/http/ledger-payments.controller.js';
import { PaymentsController } from './adapters/http/payments.controller.js';
import { HoldRecord } from './adapters/persistence/hold.record.js';
import { PAYMENT_INVARIANTS } from './adapters/persistence/invariants.js';
import { PaymentRecord } from './adapters/persistence/payment.record.js';
import { PAYMENT_TRACES } from './adapters/persistence/payment-traces.js';
import { TypeormHolds } from './adapters/persistence/typeorm-holds.js';
import { TypeormPayments } from './adapters/persistence/typeorm-payments.js';
import { toEvent } from './adapters/representation/payments.views.js';
import { ChangeHolds } from './application/change-holds.js';
import { Holds, PaymentEvents, Payments } from './application/ports.js';
import { RecordPayment } from './application/record-payment.js';
import { HOLD_ERRORS } from './domain/hold.js';
import { PAYMENT_ERRORS } from './domain/payment.js';
import { HOLD_FACTS, PAYMENT_FACTS } from './facts.js';

@Module({
  imports: [CheckoutModule, EventsModule],
  controllers: [
    PaymentsController,
    LedgerPaymentsController,
    LedgerHoldsController,
    CheckoutSessionHelpersController,
  ],
  providers: [
    ChangeHolds,
    RecordPayment,
    recordedBy(PaymentEvents, toEvent),
    { provide: Holds, useClass: TypeormHolds },
    { provide: Payments, useClass: TypeormPayments },
  ],
  exports: [Payments, RecordPayment],
})
export class PaymentsModule {}

export const PAYMENTS: ModuleFacts = {
  module: PaymentsModule,
  records: [PaymentRecord, HoldRecord],
  errors: [...Object.values(PAYMENT_ERRORS), ...Object.values(HOLD_ERRORS)],
  resources: [PAYMENT_FACTS, HOLD_FACTS],
  invariants: PAYMENT_INVARIANTS,
  traces: [PAYMENT_TRACES],
};
