export { SESSION_BOOK } from './adapters/persistence/book.js';
export { CheckoutSessionRecord } from './adapters/persistence/checkout-session.record.js';
export { REFUSED_PAYMENTS } from './adapters/representation/checkout-sessions.examples.js';
export { CompleteCheckoutSession } from './application/complete-checkout-session.js';
export { FindNotifyUrl } from './application/find-notify-url.js';
export { ReadCheckoutSession } from './application/read-checkout-session.js';
export { CHECKOUT, CheckoutModule } from './checkout.module.js';
export { CHECKOUT_SESSION_ID } from './domain/checkout-session.js';
