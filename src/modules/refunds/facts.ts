import type { Resource } from '../../platform/facts.js';
import { REFUND_EVENTS, REFUND_ID } from './domain/refund.js';

export const REFUND_FACTS = {
  id: REFUND_ID,
  schema: 'Refund',
  secret: { path: '/v1/refunds', isListed: true },
  ledger: { path: '/ledger/v1/refunds', isListed: true },
  events: REFUND_EVENTS,
} as const satisfies Resource;
