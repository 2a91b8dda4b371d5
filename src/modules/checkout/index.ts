export { AwaitPayment } from './application/await-payment.js';
export { CloseCheckoutSession } from './application/close-checkout-session.js';
export { CreateCheckoutSession } from './application/create-checkout-session.js';
export {
  CheckoutSessionQueries,
  OldSessions,
  OverdueSessions,
  PageLinks,
  SessionDetails,
} from './application/ports.js';
export { RedactCheckoutSession } from './application/redact-checkout-session.js';
export { CHECKOUT, CheckoutModule } from './checkout.module.js';
export { CHECKOUT_SESSION_ID } from './domain/checkout-session.js';
export { SESSION_FACTS } from './facts.js';
