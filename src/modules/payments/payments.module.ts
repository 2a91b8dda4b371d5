import { Module } from '@nestjs/common';
import { StoredPersonalData } from '../../persistence/personal-data.js';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { CheckoutModule } from '../checkout/index.js';
import { EventsModule, recordedBy } from '../events/index.js';
import { CheckoutSessionHelpersController } from './adapters/http/checkout-session-helpers.controller.js';
import { LedgerHoldsController } from './adapters/http/ledger-holds.controller.js';
import { LedgerPaymentsController } from './adapters/http/ledger-payments.controller.js';
import { PaymentsController } from './adapters/http/payments.controller.js';
import { HoldRecord } from './adapters/persistence/hold.record.js';
import { PAYMENT_INVARIANTS } from './adapters/persistence/invariants.js';
import { PaymentRecord } from './adapters/persistence/payment.record.js';
import { PAYMENT_PERSONAL_DATA } from './adapters/persistence/payment-personal-data.js';
import { PostgresLaterDetails } from './adapters/persistence/postgres-later-details.js';
import { TypeormHolds } from './adapters/persistence/typeorm-holds.js';
import { TypeormPayments } from './adapters/persistence/typeorm-payments.js';
import { toEvent } from './adapters/representation/payments.views.js';
import { LaterDetailsSweeper } from './adapters/schedule/later-details-sweeper.js';
import { ChangeHolds } from './application/change-holds.js';
import { Holds, LaterDetails, PaymentEvents, Payments } from './application/ports.js';
import { RecordPayment } from './application/record-payment.js';
import { HOLD_ERRORS } from './domain/hold.js';
import { PAYMENT_ERRORS } from './domain/payment.js';
import { HOLD_RESOURCE, PAYMENT_RESOURCE } from './resources.js';

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
    LaterDetailsSweeper,
    RecordPayment,
    StoredPersonalData,
    recordedBy(PaymentEvents, toEvent),
    { provide: Holds, useClass: TypeormHolds },
    { provide: LaterDetails, useClass: PostgresLaterDetails },
    { provide: Payments, useClass: TypeormPayments },
  ],
  exports: [LaterDetails, Payments, RecordPayment],
})
export class PaymentsModule {}

export const PAYMENTS: ModuleDeclaration = {
  module: PaymentsModule,
  records: [PaymentRecord, HoldRecord],
  errors: [...Object.values(PAYMENT_ERRORS), ...Object.values(HOLD_ERRORS)],
  resources: [PAYMENT_RESOURCE, HOLD_RESOURCE],
  invariants: PAYMENT_INVARIANTS,
  personalData: PAYMENT_PERSONAL_DATA,
};
