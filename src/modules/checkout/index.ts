export { CheckoutSessionRecord } from './adapters/persistence/checkout-session.record.js';
export { CompleteCheckoutSession } from './application/complete-checkout-session.js';
export { CheckoutModule } from './checkout.module.js';
