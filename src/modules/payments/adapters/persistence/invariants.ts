import type { Invariant } from '../../../../platform/facts.js';
import { CHECKOUT_SESSION_ID, SESSION_BOOK } from '../../../checkout/index.js';

/** Each session, with the payment that pays it. */
const SESSIONS = {
  id: CHECKOUT_SESSION_ID,
  book: SESSION_BOOK,
  joined: `LEFT JOIN payments payment ON (payment.organization_id, payment.mode, payment.checkout_session_id)
    = (book.organization_id, book.mode, book.id)`,
} as const;

export const PAYMENT_INVARIANTS: readonly Invariant[] = [
  {
    ...SESSIONS,
    promise: 'a session is paid if and only if a payment exists for it',
    broken: `(book.payment_status = 'paid') <> (payment.id IS NOT NULL)`,
  },
  {
    ...SESSIONS,
    promise: 'a session was paid exactly what it asks for',
    broken: '(payment.amount, payment.currency) <> (book.amount_total, book.currency)',
  },
];
