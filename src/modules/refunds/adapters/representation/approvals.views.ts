import { constant, id, nullable, object, text, timestamp, type ValueOf } from '../../../../request/schema.js';
import { API_KEY_ID } from '../../../access/index.js';
import { DAYS_TO_DECIDE } from '../../domain/approval.js';
import type { Refund } from '../../domain/refund.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { APPROVAL } from './refunds.views.js';

const REQUESTER = {
  key: id(API_KEY_ID, 'ID of the key.'),
  holder: text('Who holds the key. A rotated key has the same holder.', { examples: ['support'] }),
  actor: nullable(text('The person whom `Tillgate-Actor` named. Tillgate does not check it.', { examples: ['Ana'] })),
};
const requester = (description: string) => nullable(object(REQUESTER, { description }));

export const REFUND_APPROVAL = object(
  {
    object: constant('refund.approval', 'Object type.'),
    refund: id(REFUND_ID, 'ID of the refund.'),
    state: APPROVAL,
    proposed_by: requester('Who proposed the refund; null if it was made elsewhere, or before holders were kept.'),
    decided_by: requester('Who approved or rejected it; null if nobody did.'),
    comment: nullable(text('Why it was approved or rejected, if a comment was given.')),
    expires_at: nullable(
      timestamp(
        `When it expires without a decision, ${DAYS_TO_DECIDE} days after the proposal; null if none is needed.`,
      ),
    ),
    decided_at: nullable(timestamp('When it was approved or rejected, in Unix seconds; null if it was not.')),
  },
  { name: 'RefundApproval', description: 'Who proposed a refund, and what was decided about it.' },
);

export function approvalView({ state, approval }: Refund): ValueOf<typeof REFUND_APPROVAL> {
  return {
    object: 'refund.approval',
    refund: state.id,
    state: approval,
    proposed_by: state.proposedBy,
    decided_by: state.decidedBy,
    comment: state.comment,
    expires_at: approval === 'not_needed' ? null : seconds(state.approvalExpiresAt),
    decided_at: seconds(state.decidedAt),
  };
}

const seconds = (instant: number | null) => (instant === null ? null : Math.floor(instant / 1000));
