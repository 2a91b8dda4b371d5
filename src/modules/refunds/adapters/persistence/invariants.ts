import type { Invariant } from '../../../../platform/facts.js';
import { PAYMENT_FACTS, PAYMENT_ID } from '../../../payments/index.js';

const PAYMENTS = {
  id: PAYMENT_ID,
  book: PAYMENT_FACTS.book,
  joined: `CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS pending,
        coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0) AS succeeded
      FROM refunds WHERE organization_id = book.organization_id AND mode = book.mode AND payment_id = book.id
    ) sums`,
  touched:
    '/* every organization: the last changes of all */ SELECT payment_id AS id FROM refunds WHERE mode = $1 ORDER BY refunds.id DESC',
} as const;

export const REFUND_INVARIANTS: readonly Invariant[] = [
  {
    ...PAYMENTS,
    promise: 'held = sum of pending and succeeded refunds',
    broken: 'book.amount_pending_refund + book.amount_refunded <> sums.pending + sums.succeeded',
  },
  {
    ...PAYMENTS,
    promise: 'refunded = sum of succeeded refunds',
    broken: 'book.amount_refunded <> sums.succeeded',
  },
  {
    ...PAYMENTS,
    promise: 'held <= captured',
    broken: 'sums.pending + sums.succeeded + book.amount_on_hold > book.amount',
  },
];
