export { CheckoutSessionRecord } from './adapters/persistence/checkout-session.record.js';
export { CompleteCheckoutSession } from './application/complete-checkout-session.js';
export { FindNotifyUrl } from './application/find-notify-url.js';
export { CheckoutModule } from './checkout.module.js';
