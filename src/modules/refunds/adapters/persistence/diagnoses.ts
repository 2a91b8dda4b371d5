import { MOST_ROWS } from '../../../../persistence/measurement.js';
import type { Diagnosis } from '../../../../platform/module-declaration.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { idOf } from '../../../../shared/id.js';
import { REFUND_ID, STUCK_CLAIMS } from '../../domain/refund-state.js';

const SHOWN = 5;

interface Row {
  readonly mode: Mode;
  readonly id: string;
}

interface StuckRow extends Row {
  readonly claimNumber: number;
  readonly refunds: number;
}

const ofEachMode = (select: (mode: Mode) => string) =>
  MODES.map((mode) => `(${select(mode)})`).join(' UNION ALL ');
const PENDING = ofEachMode(
  (mode) =>
    `SELECT mode, id, claim_number FROM refunds
      WHERE mode = '${mode}' AND status = 'pending' ORDER BY id LIMIT ${MOST_ROWS}`,
);
const PAID_UNAPPROVED = ofEachMode(
  (mode) =>
    `SELECT mode, id FROM refunds
      WHERE mode = '${mode}' AND status = 'succeeded' AND approval = 'waiting'
      ORDER BY id DESC LIMIT ${SHOWN}`,
);

/** Counts the pending refunds that were claimed often, and shows the oldest. */
export const STUCK_REFUNDS: Diagnosis<StuckRow> = {
  name: 'ledger workers',
  text: `/* every organization: an operator looks at all pending refunds */
    SELECT mode, id, claim_number AS "claimNumber", (count(*) OVER ())::integer AS refunds
    FROM (${PENDING}) AS pending WHERE claim_number >= ${STUCK_CLAIMS} ORDER BY id LIMIT ${SHOWN}`,
  well: 'No refund is stuck.',
  warnings: (rows) => {
    if (rows.length === 0) return [];
    const each = rows.map(
      ({ mode, id, claimNumber }) => `${idOf(REFUND_ID, id, mode)} (claim ${claimNumber})`,
    );
    const more = (rows[0]?.refunds ?? 0) - rows.length;
    const found =
      'Claimed again and again, and still pending: ' +
      `${each.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
    const advice =
      'Look up each ID at the payment provider: send succeed if it was paid, fail if it cannot ' +
      'be paid.';
    return [{ found, advice }];
  },
};

/** Shows the newest refunds that were paid out without their approval. */
export const UNAPPROVED_REFUNDS: Diagnosis<Row> = {
  name: 'approvals',
  text: `/* every organization: an operator looks at payouts of all */ ${PAID_UNAPPROVED}`,
  well: 'No refund was paid out without its approval.',
  warnings: (rows) => {
    if (rows.length === 0) return [];
    const each = rows.map(({ mode, id }) => idOf(REFUND_ID, id, mode));
    const found = `Paid out while they waited for approval, the newest first: ${each.join(', ')}.`;
    return [
      {
        found,
        advice: 'Find the worker that pays refunds which no claim gave it, and ask who let it.',
      },
    ];
  },
};
