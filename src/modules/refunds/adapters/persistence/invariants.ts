import type { Invariant } from '../../../../platform/facts.js';
import { PAYMENT_FACTS, PAYMENT_ID } from '../../../payments/index.js';
import { REFUND_ID } from '../../domain/refund.js';

const PAYMENTS = {
  id: PAYMENT_ID,
  book: PAYMENT_FACTS.book,
  joined: `LEFT JOIN (
      SELECT organization_id, mode, payment_id,
        coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS pending,
        coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0) AS succeeded
      FROM refunds GROUP BY organization_id, mode, payment_id
    ) sums ON (sums.organization_id, sums.mode, sums.payment_id) = (book.organization_id, book.mode, book.id)`,
} as const;

export const REFUND_INVARIANTS: readonly Invariant[] = [
  {
    ...PAYMENTS,
    promise: 'held = sum of pending and succeeded refunds',
    broken: `book.amount_pending_refund + book.amount_refunded
      <> coalesce(sums.pending, 0) + coalesce(sums.succeeded, 0)`,
  },
  {
    ...PAYMENTS,
    promise: 'refunded = sum of succeeded refunds',
    broken: 'book.amount_refunded <> coalesce(sums.succeeded, 0)',
  },
  {
    ...PAYMENTS,
    promise: 'held <= captured',
    broken: 'coalesce(sums.pending, 0) + coalesce(sums.succeeded, 0) + book.amount_on_hold > book.amount',
  },
  {
    id: REFUND_ID,
    book: 'refunds',
    promise: 'a claim is on a pending refund',
    broken: `book.claim_expires_at IS NOT NULL AND (book.status <> 'pending' OR book.claim_number < 1)`,
  },
];
