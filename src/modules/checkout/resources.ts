import type { Resource } from '../../platform/module-declaration.js';
import { CHECKOUT_SESSION_ID, SESSION_EVENTS } from './domain/checkout-session.js';

export const SESSION_RESOURCE = {
  id: CHECKOUT_SESSION_ID,
  schema: 'CheckoutSession',
  secret: { path: '/v1/checkout_sessions', isListed: true },
  ledger: { path: '/ledger/v1/checkout_sessions', isOwned: true },
  table: 'checkout_sessions',
  balances: `(SELECT organization_id, mode, id, payment_status, amount_total, currency
    FROM checkout_sessions)`,
  events: SESSION_EVENTS,
} as const satisfies Resource;
