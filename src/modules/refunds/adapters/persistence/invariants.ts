import type { Invariant } from '../../../../platform/module-declaration.js';
import { PAYMENT_ID, PAYMENT_RESOURCE } from '../../../payments/index.js';

const PAYMENTS = {
  id: PAYMENT_ID,
  balances: PAYMENT_RESOURCE.balances,
  joined: `CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS pending,
        coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0) AS succeeded
      FROM refunds
      WHERE organization_id = balances.organization_id AND mode = balances.mode
        AND payment_id = balances.id
    ) sums`,
  touched: (mode: string) => `/* every organization: the last changes of all */
    SELECT payment_id AS id FROM refunds WHERE mode = ${mode} ORDER BY refunds.id DESC`,
} as const;

export const REFUND_INVARIANTS: readonly Invariant[] = [
  {
    ...PAYMENTS,
    name: 'held = sum of pending and succeeded refunds',
    broken:
      'balances.amount_pending_refund + balances.amount_refunded <> sums.pending + sums.succeeded',
  },
  {
    ...PAYMENTS,
    name: 'refunded = sum of succeeded refunds',
    broken: 'balances.amount_refunded <> sums.succeeded',
  },
  {
    ...PAYMENTS,
    name: 'held <= captured',
    broken: 'sums.pending + sums.succeeded + balances.amount_on_hold > balances.amount',
  },
];
