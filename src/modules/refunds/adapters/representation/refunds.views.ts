import { counter } from '../../../../platform/metric.js';
import { HttpResponse, listOf } from '../../../../request/response.js';
import {
  CURRENCY,
  constant,
  describedEnum,
  id,
  integer,
  MAX_INT32,
  NAME,
  nullable,
  ORGANIZATION,
  object,
  type Schema,
  text,
  timestamp,
  type ValueOf,
  withOrganization,
} from '../../../../request/schema.js';
import { MODES } from '../../../../shared/caller.js';
import { createdAt, recordedAt } from '../../../../shared/id.js';
import { MAX_AMOUNT } from '../../../../shared/money.js';
import { API_KEY_ID } from '../../../access/index.js';
import type { NewEvent } from '../../../events/index.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import type { Refund } from '../../domain/refund.js';
import {
  type Approval,
  DAYS_TO_DECIDE,
  REFUND_ID,
  type RefundEvent,
  type RefundStatus,
} from '../../domain/refund-state.js';

const FIELDS = {
  id: id(REFUND_ID, 'ID of the refund.'),
  object: constant('refund', 'Object type.'),
  amount: integer('Refunded amount.', { minimum: 1, maximum: MAX_AMOUNT, examples: [500] }),
  currency: CURRENCY,
  status: describedEnum<RefundStatus>(
    {
      pending: 'waiting for the ledger; the amount is reserved',
      succeeded: 'the ledger paid it out; it becomes `failed` if the money comes back',
      failed:
        'the ledger refused it, or its money came back; the amount can be refunded again; final',
      canceled: 'canceled by you, or not approved; the amount can be refunded again; final',
    },
    'Status of the refund.',
  ),
  payment: id(PAYMENT_ID, 'ID of the refunded payment.'),
  created: timestamp('Time of creation, in Unix seconds.'),
};

export const REFUND = object(FIELDS, {
  name: 'Refund',
  description: 'Returns all or part of a payment.',
});

const CLAIM = object(
  {
    number: integer(
      'Number of the claim. It increases with each claim of the refund. Send it as `claim` ' +
        'when you fail, extend or release the refund.',
      {
        minimum: 1,
        maximum: MAX_INT32,
        examples: [1],
      },
    ),
    expires_at: timestamp(
      'End of the lease, in Unix seconds. From then on, another worker can claim the refund.',
    ),
  },
  {
    description:
      'The claim of the worker that pays the refund out; null if the refund is not claimed.',
  },
);

const APPROVAL: Schema<Approval> = {
  [NAME]: 'ApprovalState',
  ...describedEnum<Approval>(
    {
      not_needed: 'nobody has to approve the refund',
      waiting: 'nobody has decided; the ledger pays the refund out only when it is approved',
      approved: 'somebody else than the proposer approved it',
      rejected: 'somebody else than the proposer rejected it; the refund is canceled',
      expired: 'nobody decided in time; the refund is canceled within seconds',
    },
    'Whether the refund was approved.',
  ),
};

const DETAILS = {
  reference: nullable(text("The merchant's own ID of the refund.")),
  description: nullable(text("The merchant's description of the refund.")),
  provider_reference: nullable(text("The payment provider's ID of the payout.")),
};

export const LEDGER_REFUND = object(
  {
    ...withOrganization(ORGANIZATION, FIELDS),
    claim: nullable(CLAIM),
    ...DETAILS,
    reason: nullable(text('Why the refund failed or was not approved, if a reason is known.')),
    approval: APPROVAL,
  },
  {
    name: 'LedgerRefund',
    description:
      'A refund with its owning organization, its claim and what the ledger needs to pay it out.',
  },
);

/**
 * Events have these details besides the refund. Only events of a refund that has to be approved
 * have `approval`.
 */
export const EVENT_DETAILS = { ...DETAILS, approval: APPROVAL };

export const REFUND_LIST = listOf('RefundList', REFUND);
export const LEDGER_REFUND_LIST = listOf('LedgerRefundList', LEDGER_REFUND);

export function refundView({ state }: Refund): ValueOf<typeof REFUND> {
  return {
    id: state.id,
    object: 'refund',
    amount: state.amount,
    currency: state.currency,
    status: state.status,
    payment: state.payment,
    created: createdAt(state.id),
  };
}

export function refundJson(refund: Refund): string {
  return JSON.stringify(refundView(refund));
}

function detailsOf({ state }: Refund) {
  const { reference, description, providerReference: provider_reference } = state;
  return { reference, description, provider_reference };
}

function eventDetailsOf(refund: Refund) {
  const { approval } = refund.state;
  return { ...detailsOf(refund), ...(approval !== 'not_needed' && { approval }) };
}

function reasonOf({ state: { failureReason, approval } }: Refund): string | null {
  return approval === 'rejected' || approval === 'expired' ? `approval ${approval}` : failureReason;
}

export function ledgerRefundView(refund: Refund): ValueOf<typeof LEDGER_REFUND> {
  const { organization, id, claimNumber, claimExpiresAt, approval } = refund.state;
  const claim =
    claimExpiresAt === null ? null : { number: claimNumber, expires_at: seconds(claimExpiresAt) };
  const shown = { ...withOrganization(organization, refundView(refund)), created: recordedAt(id) };
  return { ...shown, claim, ...detailsOf(refund), reason: reasonOf(refund), approval };
}

export function changed(refund: Refund): HttpResponse {
  return new HttpResponse({ status: 200, body: JSON.stringify(ledgerRefundView(refund)) });
}

const REQUESTER = {
  key: id(API_KEY_ID, 'ID of the key.'),
  holder: text('Who holds the key. A rotated key has the same holder.', { examples: ['support'] }),
  actor: nullable(
    text('The person whom `Tillgate-Actor` named. Tillgate does not check it.', {
      examples: ['Ana'],
    }),
  ),
};
const requester = (description: string) => nullable(object(REQUESTER, { description }));

export const REFUND_APPROVAL = object(
  {
    object: constant('refund.approval', 'Object type.'),
    refund: id(REFUND_ID, 'ID of the refund.'),
    payment: FIELDS.payment,
    amount: FIELDS.amount,
    currency: FIELDS.currency,
    reference: DETAILS.reference,
    description: DETAILS.description,
    state: APPROVAL,
    proposed_by: requester(
      'Who proposed the refund; null if it was made elsewhere, or before holders were kept.',
    ),
    decided_by: requester('Who approved or rejected it; null if nobody did.'),
    comment: nullable(text('Why it was approved or rejected, if a comment was given.')),
    expires_at: nullable(
      timestamp(
        `When it expires without a decision, ${DAYS_TO_DECIDE} days after the proposal; null ` +
          'if none is needed.',
      ),
    ),
    decided_at: nullable(
      timestamp('When it was approved or rejected, in Unix seconds; null if it was not.'),
    ),
  },
  {
    name: 'RefundApproval',
    description:
      'What is refunded and why, who proposed it, and what was decided about it. To approve, ' +
      'send its `amount`.',
  },
);

export function approvalView({ state }: Refund): ValueOf<typeof REFUND_APPROVAL> {
  return {
    object: 'refund.approval',
    refund: state.id,
    payment: state.payment,
    amount: state.amount,
    currency: state.currency,
    reference: state.reference,
    description: state.description,
    state: state.approval,
    proposed_by: state.proposedBy,
    decided_by: state.decidedBy,
    comment: state.comment,
    expires_at: seconds(state.approvalExpiresAt),
    decided_at: seconds(state.decidedAt),
  };
}

const seconds = <Instant extends number | null>(instant: Instant) =>
  instant && Math.floor(instant / 1000);

export const PAID_UNAPPROVED = counter({
  name: 'tillgate_refunds_paid_unapproved_total',
  help: 'Refunds that the ledger reported as paid out while they waited for approval.',
  labels: { mode: MODES },
});

export function toEvent(type: RefundEvent, refund: Refund, notifyUrl: string | null): NewEvent {
  const { version, state } = refund;
  const isUnapproved = type === 'refund.succeeded' && state.approval === 'waiting';
  return {
    type,
    object: state.id,
    sequence: type === 'refund.created' ? 1 : version,
    data: refundJson(refund),
    reason: reasonOf(refund),
    details: eventDetailsOf(refund),
    notifyUrl,
    committed: isUnapproved ? () => PAID_UNAPPROVED.inc({ mode: state.mode }) : undefined,
  };
}
