export { HELD_CONSTRAINT, HOLD_AMOUNT, heldValues, SETTLE_AMOUNT } from './adapters/persistence/held-amount.js';
export { NOTIFY_URL } from './adapters/persistence/notify-url.js';
export { PaymentRecord } from './adapters/persistence/payment.record.js';
export { paymentView } from './adapters/representation/payments.views.js';
export { ReadPayment } from './application/read-payment.js';
export { RecordPayment } from './application/record-payment.js';
export { PaymentsModule } from './payments.module.js';
