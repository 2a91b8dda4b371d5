import { Module } from '@nestjs/common';
import type { ModuleFacts } from '../../platform/facts.js';
import { CheckoutModule } from '../checkout/index.js';
import { AccessOrganizations } from './adapters/access/access-organizations.js';
import { CheckoutPaidSessions } from './adapters/checkout/checkout-paid-sessions.js';
import { LedgerPaymentsController } from './adapters/http/ledger-payments.controller.js';
import { PaymentsController } from './adapters/http/payments.controller.js';
import { PAYMENT_INVARIANTS } from './adapters/persistence/invariants.js';
import { PaymentRecord } from './adapters/persistence/payment.record.js';
import { PostgresHeldAmounts } from './adapters/persistence/postgres-held-amounts.js';
import { PostgresPayments } from './adapters/persistence/postgres-payments.js';
import { FindNotifyUrl } from './application/find-notify-url.js';
import { HeldAmounts, KnownOrganizations, PaidSessions, Payments } from './application/ports.js';
import { ReadPayment } from './application/read-payment.js';
import { RecordPayment } from './application/record-payment.js';
import { PAYMENT_REFERENCE_REUSED } from './domain/payment.js';
import { PAYMENT_FACTS } from './facts.js';

/** What was captured and what is left to refund. */
@Module({
  imports: [CheckoutModule],
  controllers: [PaymentsController, LedgerPaymentsController],
  providers: [
    FindNotifyUrl,
    ReadPayment,
    RecordPayment,
    { provide: HeldAmounts, useClass: PostgresHeldAmounts },
    { provide: KnownOrganizations, useClass: AccessOrganizations },
    { provide: PaidSessions, useClass: CheckoutPaidSessions },
    { provide: Payments, useClass: PostgresPayments },
  ],
  exports: [FindNotifyUrl, HeldAmounts, ReadPayment, RecordPayment],
})
export class PaymentsModule {}

export const PAYMENTS: ModuleFacts = {
  module: PaymentsModule,
  records: [PaymentRecord],
  errors: [PAYMENT_REFERENCE_REUSED],
  resources: [PAYMENT_FACTS],
  invariants: PAYMENT_INVARIANTS,
};
