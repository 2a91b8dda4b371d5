import type { Requester } from '../../../shared/caller.js';
import {
  type ErrorCode,
  errorCodes,
  paramError,
  type Refusal,
  refusal,
} from '../../../shared/errors.js';
import type { RefundablePayment, RefundState } from './refund-state.js';

const ERRORS = {
  ...errorCodes('too_much', {
    refund_exceeds_remaining:
      'The amount is more than can be refunded. `errors[0].allowed` is the largest possible ' +
      'amount.',
  }),
  ...errorCodes('state', {
    refund_not_pending: 'The refund is no longer pending. Read it.',
    refund_in_progress:
      'The ledger has claimed the refund to pay it out. It can be canceled only if the ledger ' +
      'releases the claim. Read it.',
    refund_claimed:
      '`claim` is not the number of the current claim. Read the refund: another worker may ' +
      'have claimed it.',
    refund_not_succeeded: 'Only a succeeded refund can be returned. Read it.',
    refund_reference_reused: 'The reference was used for another refund. Read that refund.',
  }),
  ...errorCodes('person', {
    second_person_required:
      'The key has the same holder as the one that proposed the refund. Somebody with the key ' +
      'of another holder must decide.',
  }),
  ...errorCodes('state', {
    approval_amount_mismatch:
      "The amount is not the refund's. Read the refund, and approve what it says if that is right.",
  }),
};
export const REFUND_ERRORS = Object.values(ERRORS);

export function exceedsRemaining({ id, refundable }: RefundablePayment): Refusal {
  const message = `Only ${refundable} is left to refund of this payment.`;
  return refusal(
    ERRORS.refund_exceeds_remaining,
    paramError('amount', 'too_large', message, [refundable]),
    id,
  );
}

export const notPending = (
  refund: RefundState,
  message = `The refund is ${refund.status}, not pending.`,
): Refusal => refused(ERRORS.refund_not_pending, refund, message);

export const inProgress = (refund: RefundState): Refusal =>
  refused(ERRORS.refund_in_progress, refund, 'The refund is being paid out.');

export function otherClaim({ id, claimExpiresAt }: RefundState, claim: number | null): Refusal {
  const missing = 'The refund is claimed: send the number of its claim as claim.';
  const other = claim === null ? missing : 'The refund has another claim.';
  const message = claimExpiresAt === null ? 'The refund is not claimed.' : other;
  return refusal(
    ERRORS.refund_claimed,
    paramError('claim', claim === null ? 'required' : 'invalid_value', message),
    id,
  );
}

export const notSucceeded = (refund: RefundState): Refusal =>
  refused(ERRORS.refund_not_succeeded, refund, `The refund is ${refund.status}, not succeeded.`);

export const referenceReused = (
  refund: RefundState,
  param: 'reference' | 'provider_reference',
): Refusal =>
  refused(
    ERRORS.refund_reference_reused,
    refund,
    'This reference belongs to another refund.',
    param,
  );

/** Another key of the same holder, such as a rotated key, does not count as a second person. */
export function secondPersonRequired(refund: RefundState, { holder }: Requester): Refusal {
  const message = `${holder} proposed the refund, so another holder must decide.`;
  return refused(ERRORS.second_person_required, refund, message, 'Authorization');
}

/**
 * The message does not tell the refund's amount: a program that follows what is allowed must not
 * approve an amount that nobody has seen.
 */
export const amountMismatch = (refund: RefundState): Refusal =>
  refused(ERRORS.approval_amount_mismatch, refund, "The amount is not the refund's.", 'amount');

function refused(code: ErrorCode, { id }: RefundState, message: string, param = 'id'): Refusal {
  return refusal(code, paramError(param, 'invalid_value', message), id);
}
