export { PAYMENT_BOOK } from './adapters/persistence/book.js';
export { PaymentRecord } from './adapters/persistence/payment.record.js';
export { REFUSED_WHEN_EMPTY } from './adapters/representation/payments.examples.js';
export { paymentView } from './adapters/representation/payments.views.js';
export { HeldAmounts, PaymentQueries } from './application/ports.js';
export { RecordPayment } from './application/record-payment.js';
export { PAYMENT_ID } from './domain/payment.js';
export { PAYMENTS, PaymentsModule } from './payments.module.js';
