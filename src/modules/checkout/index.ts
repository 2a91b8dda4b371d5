export { ChangeCheckoutSession } from './application/change-checkout-session.js';
export {
  CheckoutSessionQueries,
  PageLinks,
  SessionDetails,
  type ShortSession,
} from './application/ports.js';
export { CHECKOUT, CheckoutModule } from './checkout.module.js';
export { CHECKOUT_SESSION_ID, type CheckoutSessionState } from './domain/checkout-session.js';
export type { LineItem } from './domain/line-item.js';
export { SESSION_FACTS } from './facts.js';
