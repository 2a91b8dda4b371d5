import type { PersonalData } from '../../../../platform/module-declaration.js';

const OWN = 'organization_id = $1 AND mode = $2';

/** These are the columns of free text about a refund, and the members of JSON that repeat them. */
export const REFUND_PERSONAL_DATA: readonly PersonalData[] = [
  {
    object: 'refund',
    of: 'payment',
    belonging: `SELECT id FROM refunds WHERE ${OWN} AND payment_id = ANY ($3::uuid[]) AND id > $4 ORDER BY id LIMIT $5`,
    clear: `UPDATE refunds SET description = NULL, failure_reason = NULL, comment = NULL
      WHERE ${OWN} AND id = ANY ($3::uuid[]) AND num_nonnulls(description, failure_reason, comment) > 0`,
    members: { description: () => null, reason: () => null },
  },
  { object: 'refund.approval', members: { description: () => null, comment: () => null } },
  // These are the EVENT_DETAILS of a refund.
  { object: 'event', members: { description: () => null } },
];
