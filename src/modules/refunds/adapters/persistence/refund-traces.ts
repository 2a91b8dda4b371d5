import type { Traces } from '../../../../platform/facts.js';

const OF_PAYMENTS = 'organization_id = $1 AND mode = $2 AND payment_id = ANY ($3::uuid[])';

/** What was said about a refund: its columns of free text, and the same as members of JSON. */
export const REFUND_TRACES: Traces = {
  belonging: [`SELECT id FROM refunds WHERE ${OF_PAYMENTS}`],
  clear: [
    `UPDATE refunds SET description = NULL, failure_reason = NULL, comment = NULL
      WHERE ${OF_PAYMENTS} AND num_nonnulls(description, failure_reason, comment) > 0`,
  ],
  said: { description: () => null, reason: () => null, comment: () => null },
};
