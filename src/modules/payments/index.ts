export { LaterDetails, Payments } from './application/ports.js';
export { RecordPayment } from './application/record-payment.js';
export { AMOUNT_CHANGES, type AmountChange, PAYMENT_ID, type Payment } from './domain/payment.js';
export { PAYMENTS, PaymentsModule } from './payments.module.js';
export { PAYMENT_RESOURCE } from './resources.js';
