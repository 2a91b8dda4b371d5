export { ChangeCheckoutSession } from './application/change-checkout-session.js';
export { CreateCheckoutSession } from './application/create-checkout-session.js';
export { CheckoutSessionQueries, DueSessions, PageLinks, SessionDetails } from './application/ports.js';
export { CHECKOUT, CheckoutModule } from './checkout.module.js';
export { CHECKOUT_SESSION_ID } from './domain/checkout-session.js';
export { SESSION_FACTS } from './facts.js';
