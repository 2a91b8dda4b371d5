import { Module } from '@nestjs/common';
import { CheckoutModule } from '../checkout/index.js';
import { AccessOrganizations } from './adapters/access/access-organizations.js';
import { CheckoutPaidSessions } from './adapters/checkout/checkout-paid-sessions.js';
import { LedgerPaymentsController } from './adapters/http/ledger-payments.controller.js';
import { PaymentsController } from './adapters/http/payments.controller.js';
import { TypeormPayments } from './adapters/persistence/typeorm-payments.js';
import { KnownOrganizations, PaidSessions, Payments } from './application/ports.js';
import { ReadPayment } from './application/read-payment.js';
import { RecordPayment } from './application/record-payment.js';

/** What was captured and what is left to refund. */
@Module({
  imports: [CheckoutModule],
  controllers: [PaymentsController, LedgerPaymentsController],
  providers: [
    ReadPayment,
    RecordPayment,
    { provide: KnownOrganizations, useClass: AccessOrganizations },
    { provide: PaidSessions, useClass: CheckoutPaidSessions },
    { provide: Payments, useClass: TypeormPayments },
  ],
  exports: [ReadPayment, RecordPayment],
})
export class PaymentsModule {}
