import type { PersonalData } from '../../../../platform/module-declaration.js';

/** These are the columns of free text about a refund, and the members of JSON that repeat them. */
export const REFUND_PERSONAL_DATA: readonly PersonalData[] = [
  {
    object: 'refund',
    of: 'payment',
    belonging: { table: 'refunds', column: 'payment_id' },
    clear: ({ organization, mode, ids }) => `UPDATE refunds
      SET description = NULL, failure_reason = NULL, comment = NULL
      WHERE organization_id = ${organization} AND mode = ${mode} AND id = ANY (${ids}::uuid[])
        AND num_nonnulls(description, failure_reason, comment) > 0`,
    members: { description: () => null, reason: () => null },
  },
  { object: 'refund.approval', members: { description: () => null, comment: () => null } },
  // These are the EVENT_DETAILS of a refund.
  { object: 'event', members: { description: () => null } },
];
