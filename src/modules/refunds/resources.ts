import type { Resource } from '../../platform/module-declaration.js';
import { PAYMENT_ID } from '../payments/index.js';
import { refundsOfPayment } from './adapters/persistence/typeorm-refunds.js';
import { EVENT_DETAILS } from './adapters/representation/refunds.views.js';
import { REFUND_EVENTS, REFUND_ID } from './domain/refund-state.js';

export const REFUND_RESOURCE = {
  id: REFUND_ID,
  schema: 'Refund',
  secret: { path: '/v1/refunds', isListed: true },
  ledger: { path: '/ledger/v1/refunds', isListed: true },
  table: 'refunds',
  events: REFUND_EVENTS,
  relatedEvents: { of: PAYMENT_ID, others: refundsOfPayment },
  details: EVENT_DETAILS,
} as const satisfies Resource;
