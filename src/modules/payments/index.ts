export { PAYMENT_BOOK } from './adapters/persistence/book.js';
export { PaymentRecord } from './adapters/persistence/payment.record.js';
export { paymentView } from './adapters/representation/payments.views.js';
export { FindNotifyUrl } from './application/find-notify-url.js';
export { HeldAmounts } from './application/ports.js';
export { ReadPayment } from './application/read-payment.js';
export { RecordPayment } from './application/record-payment.js';
export { PAYMENT_ID } from './domain/payment.js';
export { PAYMENTS, PaymentsModule } from './payments.module.js';
