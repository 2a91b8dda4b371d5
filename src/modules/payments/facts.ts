import type { Resource } from '../../platform/facts.js';

export const PAYMENT_FACTS = {
  id: 'pay',
  schema: 'Payment',
  secret: { path: '/v1/payments' },
  ledger: { path: '/ledger/v1/payments', isOwned: true },
  events: {},
} as const satisfies Resource;
