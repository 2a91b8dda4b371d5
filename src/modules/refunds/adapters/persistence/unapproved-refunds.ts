import type { Diagnosis } from '../../../../platform/facts.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { idOf } from '../../../../shared/id.js';
import { REFUND_ID } from '../../domain/refund-state.js';

const SHOWN = 5;

const PAID = `status = 'succeeded' AND approval = 'waiting'`;
const NEWEST = MODES.map(
  (mode) => `(SELECT mode, id FROM refunds WHERE mode = '${mode}' AND ${PAID} ORDER BY id DESC LIMIT ${SHOWN})`,
).join(' UNION ALL ');

interface Row {
  readonly mode: Mode;
  readonly id: string;
}

/** The newest refunds that were paid out without their approval. */
export const UNAPPROVED_REFUNDS: Diagnosis<Row> = {
  name: 'approvals',
  text: `/* every organization: an operator looks at payouts of all */ ${NEWEST}`,
  well: 'No refund was paid out without its approval.',
  warnings: (rows) => {
    if (rows.length === 0) return [];
    const each = rows.map(({ mode, id }) => idOf(REFUND_ID, id, mode));
    const found = `Paid out while they waited for approval, the newest first: ${each.join(', ')}.`;
    return [{ found, advice: 'Find the worker that pays refunds which no claim gave it, and ask who let it.' }];
  },
};
