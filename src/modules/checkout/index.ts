export { AwaitPayment } from './application/await-payment.js';
export { CloseCheckoutSession } from './application/close-checkout-session.js';
export { KeepSessionOpen } from './application/keep-session-open.js';
export { OpenCheckoutSession } from './application/open-checkout-session.js';
export {
  CheckoutSessionQueries,
  PageLinks,
  SessionDetails,
  type ShortSession,
} from './application/ports.js';
export { RedactCheckoutSession } from './application/redact-checkout-session.js';
export { CHECKOUT, CheckoutModule } from './checkout.module.js';
export { ON_MISMATCH, type OnMismatch } from './domain/captured.js';
export { CHECKOUT_SESSION_ID, type CheckoutSessionState } from './domain/checkout-session.js';
export type { LineItem } from './domain/line-item.js';
export { SESSION_RESOURCE } from './resources.js';
