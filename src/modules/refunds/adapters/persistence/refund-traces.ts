import type { Traces } from '../../../../platform/facts.js';

const OF_PAYMENTS = 'organization_id = $1 AND mode = $2 AND payment_id = ANY ($3::uuid[])';

/** The words of people about a refund: its columns, and the members of its JSON. */
export const REFUND_TRACES: Traces = {
  belonging: [{ name: 'refunds.of_payments', text: `SELECT id FROM refunds WHERE ${OF_PAYMENTS}` }],
  clear: [
    {
      name: 'refunds.clear',
      text: `UPDATE refunds SET description = NULL, failure_reason = NULL
        WHERE ${OF_PAYMENTS} AND num_nonnulls(description, failure_reason) > 0`,
    },
  ],
  members: { description: () => null, reason: () => null },
};
