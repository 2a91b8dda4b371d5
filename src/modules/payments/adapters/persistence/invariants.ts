import type { Invariant } from '../../../../platform/facts.js';
import { CHECKOUT_SESSION_ID, SESSION_FACTS } from '../../../checkout/index.js';
import { PAYMENT_ID } from '../../domain/payment.js';

/** Each session with the payment that pays it. A payment with a mismatch does not pay its session. */
const SESSIONS = {
  id: CHECKOUT_SESSION_ID,
  book: SESSION_FACTS.book,
  joined: `LEFT JOIN payments payment ON (payment.organization_id, payment.mode, payment.checkout_session_id)
    = (book.organization_id, book.mode, book.id) AND payment.mismatch IS NULL`,
} as const;

export const PAYMENT_INVARIANTS: readonly Invariant[] = [
  {
    ...SESSIONS,
    promise: 'a session is paid if and only if a matching payment exists for it',
    broken: `(book.payment_status = 'paid') <> (payment.id IS NOT NULL)`,
  },
  {
    ...SESSIONS,
    promise: 'a session was paid exactly what it asks for',
    broken: '(payment.amount, payment.currency) <> (book.amount_total, book.currency)',
  },
  {
    id: PAYMENT_ID,
    book: 'payments',
    joined: `CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS active FROM payment_holds
      WHERE organization_id = book.organization_id AND mode = book.mode AND payment_id = book.id AND status = 'active'
    ) holds`,
    promise: 'on hold = sum of active holds',
    broken: 'book.amount_on_hold <> holds.active',
  },
];
