import type { Resource } from '../../platform/module-declaration.js';
import { sessionOfPayment } from './adapters/persistence/typeorm-payments.js';
import { HOLD_ID } from './domain/hold.js';
import { PAYMENT_EVENTS, PAYMENT_ID } from './domain/payment.js';

export const PAYMENT_RESOURCE = {
  id: PAYMENT_ID,
  schema: 'Payment',
  secret: { path: '/v1/payments', isListed: true },
  ledger: { path: '/ledger/v1/payments', isListed: true, isOwned: true },
  table: 'payments',
  balances: `(SELECT organization_id, mode, id,
      amount, amount_refunded, amount_pending_refund, amount_on_hold
    FROM payments)`,
  events: PAYMENT_EVENTS,
  relatedEvents: { of: PAYMENT_ID, others: sessionOfPayment },
} as const satisfies Resource;

export const HOLD_RESOURCE = {
  id: HOLD_ID,
  schema: 'PaymentHold',
  table: 'payment_holds',
  ledger: { path: '/ledger/v1/holds', isListed: true },
} as const satisfies Resource;
