import type { Invariant } from '../../../../platform/module-declaration.js';
import { CHECKOUT_SESSION_ID, SESSION_RESOURCE } from '../../../checkout/index.js';
import { PAYMENT_ID } from '../../domain/payment.js';

/**
 * The rule joins each session with the payment that pays it. A payment with a mismatch does not pay
 * its session.
 */
const SESSIONS = {
  id: CHECKOUT_SESSION_ID,
  balances: SESSION_RESOURCE.balances,
  joined: `LEFT JOIN payments payment
    ON (payment.organization_id, payment.mode, payment.checkout_session_id)
      = (balances.organization_id, balances.mode, balances.id)
    AND payment.mismatch IS NULL`,
} as const;

export const PAYMENT_INVARIANTS: readonly Invariant[] = [
  {
    ...SESSIONS,
    name: 'a session is paid if and only if a matching payment exists for it',
    broken: `(balances.payment_status = 'paid') <> (payment.id IS NOT NULL)`,
  },
  {
    ...SESSIONS,
    name: 'a session was paid exactly what it asks for',
    broken: '(payment.amount, payment.currency) <> (balances.amount_total, balances.currency)',
  },
  {
    id: PAYMENT_ID,
    balances: 'payments',
    joined: `CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS active FROM payment_holds
      WHERE organization_id = balances.organization_id AND mode = balances.mode
        AND payment_id = balances.id AND status = 'active'
    ) holds`,
    name: 'on hold = sum of active holds',
    broken: 'balances.amount_on_hold <> holds.active',
  },
];
