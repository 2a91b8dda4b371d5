import type { Requester } from '../../../shared/caller.js';
import { type ErrorCode, paramError, type Refusal, refusal } from '../../../shared/errors.js';
import type { RefundablePayment, RefundState } from './refund-state.js';

const REFUND_EXCEEDS_REMAINING: ErrorCode = {
  code: 'refund_exceeds_remaining',
  kind: 'too_much',
  meaning: 'The amount is more than can be refunded. `errors[0].allowed` is the largest possible amount.',
};

const REFUND_NOT_PENDING: ErrorCode = {
  code: 'refund_not_pending',
  kind: 'state',
  meaning: 'The refund is no longer pending. Read it.',
};

const REFUND_IN_PROGRESS: ErrorCode = {
  code: 'refund_in_progress',
  kind: 'state',
  meaning:
    'The ledger has claimed the refund to pay it out. It can be canceled only if the ledger releases the claim. Read it.',
};

const REFUND_CLAIMED: ErrorCode = {
  code: 'refund_claimed',
  kind: 'state',
  meaning: '`claim` is not the number of the current claim. Read the refund: another worker may have claimed it.',
};

const REFUND_NOT_SUCCEEDED: ErrorCode = {
  code: 'refund_not_succeeded',
  kind: 'state',
  meaning: 'Only a succeeded refund can be returned. Read it.',
};

const REFUND_REFERENCE_REUSED: ErrorCode = {
  code: 'refund_reference_reused',
  kind: 'state',
  meaning: 'The reference was used for another refund. Read that refund.',
};

const SECOND_PERSON_REQUIRED: ErrorCode = {
  code: 'second_person_required',
  kind: 'person',
  meaning:
    'The key has the same holder as the one that proposed the refund. Somebody with the key of another holder must decide.',
};

const APPROVAL_AMOUNT_MISMATCH: ErrorCode = {
  code: 'approval_amount_mismatch',
  kind: 'state',
  meaning: "The amount is not the refund's. Read the refund, and approve what it says if that is right.",
};

export const REFUND_ERRORS = [
  REFUND_EXCEEDS_REMAINING,
  REFUND_NOT_PENDING,
  REFUND_IN_PROGRESS,
  REFUND_CLAIMED,
  REFUND_NOT_SUCCEEDED,
  REFUND_REFERENCE_REUSED,
  SECOND_PERSON_REQUIRED,
  APPROVAL_AMOUNT_MISMATCH,
];

export function exceedsRemaining({ id, refundable }: RefundablePayment): Refusal {
  const message = `Only ${refundable} is left to refund of this payment.`;
  return refusal(REFUND_EXCEEDS_REMAINING, paramError('amount', 'too_large', message, [refundable]), id);
}

export const notPending = (refund: RefundState, message = `The refund is ${refund.status}, not pending.`): Refusal =>
  refused(REFUND_NOT_PENDING, refund, message);

export const inProgress = (refund: RefundState): Refusal =>
  refused(REFUND_IN_PROGRESS, refund, 'The refund is being paid out.');

export function otherClaim({ id, claimExpiresAt }: RefundState, claim: number | null): Refusal {
  const missing = 'The refund is claimed: send the number of its claim as claim.';
  const other = claim === null ? missing : 'The refund has another claim.';
  const message = claimExpiresAt === null ? 'The refund is not claimed.' : other;
  return refusal(REFUND_CLAIMED, paramError('claim', claim === null ? 'required' : 'invalid_value', message), id);
}

export const notSucceeded = (refund: RefundState): Refusal =>
  refused(REFUND_NOT_SUCCEEDED, refund, `The refund is ${refund.status}, not succeeded.`);

export const referenceReused = (refund: RefundState, param: 'reference' | 'provider_reference'): Refusal =>
  refused(REFUND_REFERENCE_REUSED, refund, 'This reference belongs to another refund.', param);

/** Another key of the same holder, such as a rotated one, is no second person. */
export function secondPersonRequired(refund: RefundState, { holder }: Requester): Refusal {
  const message = `${holder} proposed the refund, so another holder must decide.`;
  return refused(SECOND_PERSON_REQUIRED, refund, message, 'Authorization');
}

/** The refund's amount is not told: a program that follows what is allowed must not approve what nobody has seen. */
export const amountMismatch = (refund: RefundState): Refusal =>
  refused(APPROVAL_AMOUNT_MISMATCH, refund, "The amount is not the refund's.", 'amount');

function refused(code: ErrorCode, { id }: RefundState, message: string, param = 'id'): Refusal {
  return refusal(code, paramError(param, 'invalid_value', message), id);
}
