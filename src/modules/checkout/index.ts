export { CheckoutSessionRecord } from './adapters/persistence/checkout-session.record.js';
export { CompleteCheckoutSession } from './application/complete-checkout-session.js';
export { FindNotifyUrl } from './application/find-notify-url.js';
export { CHECKOUT, CheckoutModule } from './checkout.module.js';
export { PAYMENT_SESSION_MISMATCH, SESSION_NOT_OPEN } from './domain/checkout-session.js';
