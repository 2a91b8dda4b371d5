import { MOST_ROWS, madeAt } from '../../../../platform/database/measurement.js';
import type { Diagnosis } from '../../../../platform/facts.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { idOf } from '../../../../shared/id.js';
import { STUCK_CLAIMS } from '../../domain/claim.js';
import { REFUND_ID } from '../../domain/refund.js';

const SHOWN = 5;

const oldest = (mode: Mode) => `(SELECT mode, id, claim_number, claim_expires_at, claimable_at FROM refunds
  WHERE mode = '${mode}' AND status = 'pending' ORDER BY id LIMIT ${MOST_ROWS})`;

/**
 * Pending refunds that were claimed often, and those that nobody has claimed in the hour in which they could be claimed, while
 * others were. Of each kind the count, and the oldest.
 */
export const TROUBLED_REFUNDS: Diagnosis<Row> = {
  name: 'ledger workers',
  text: `/* every organization: an operator looks at all pending refunds */ WITH pending AS (
      SELECT mode, id, claim_number, claim_expires_at, greatest(claimable_at, ${madeAt('id')}) AS claimable_at,
        max(claim_expires_at) OVER (PARTITION BY mode) AS last_lease_ends
      FROM (${MODES.map(oldest).join(' UNION ALL ')}) AS oldest
    ), troubled AS (
      SELECT 'stuck' AS trouble, mode, id, claim_number, ${madeAt('id')} AS since
      FROM pending WHERE claim_number >= ${STUCK_CLAIMS}
      UNION ALL SELECT 'starving', mode, id, claim_number, claimable_at
      FROM pending WHERE claim_number < ${STUCK_CLAIMS} AND claimable_at < statement_timestamp() - interval '1 hour'
        AND coalesce(claim_expires_at <= statement_timestamp(), true)
        AND last_lease_ends > statement_timestamp() - interval '1 hour'
    ), placed AS (
      SELECT *, row_number() OVER (PARTITION BY trouble ORDER BY since, id) AS place, count(*) OVER (PARTITION BY trouble) AS refunds
      FROM troubled
    )
    SELECT trouble, mode, id, claim_number AS "claimNumber", since, refunds::integer FROM placed
    WHERE place <= ${SHOWN} ORDER BY trouble, place`,
  well: 'No refund is stuck, and none waits while others are claimed.',
  warnings: (rows) => [
    ...warning(rows, 'stuck', {
      found: 'Claimed again and again, and still pending',
      advice: 'Look up each ID at the payment provider: send succeed if it was paid, fail if it cannot be paid.',
    }),
    ...warning(rows, 'starving', {
      found: 'Not claimed for an hour, while others are',
      advice: 'Start more workers, and let one of them claim without organization.',
    }),
  ],
};

interface Row {
  readonly trouble: 'stuck' | 'starving';
  readonly mode: Mode;
  readonly id: string;
  readonly claimNumber: number;
  readonly since: Date;
  /** How many refunds have this trouble. */
  readonly refunds: number;
}

function warning(all: readonly Row[], trouble: Row['trouble'], { found, advice }: { found: string; advice: string }) {
  const rows = all.filter((row) => row.trouble === trouble);
  if (rows.length === 0) return [];
  const each = rows.map(({ mode, id, claimNumber, since }) => {
    return `${idOf(REFUND_ID, id, mode)} (claim ${claimNumber}, since ${since.toISOString()})`;
  });
  const more = (rows[0]?.refunds ?? 0) - rows.length;
  return [{ found: `${found}: ${each.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`, advice }];
}
