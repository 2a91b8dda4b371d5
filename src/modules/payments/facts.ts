import type { Resource } from '../../platform/facts.js';
import { PAYMENT_ID } from './domain/payment.js';

export const PAYMENT_FACTS = {
  id: PAYMENT_ID,
  schema: 'Payment',
  secret: { path: '/v1/payments' },
  ledger: { path: '/ledger/v1/payments', isOwned: true },
  events: {},
} as const satisfies Resource;
