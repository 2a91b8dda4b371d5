import { type ErrorCode, paramError, type Refusal, refusal } from '../../../shared/errors.js';

export const REFUND_EXCEEDS_REMAINING: ErrorCode = {
  code: 'refund_exceeds_remaining',
  kind: 'too_much',
  meaning: 'The amount is more than can be refunded. `errors[0].allowed` is the largest possible amount.',
};

export const REFUND_NOT_PENDING: ErrorCode = {
  code: 'refund_not_pending',
  kind: 'state',
  meaning: 'The refund is no longer pending. Read it.',
};

export const REFUND_NOT_SUCCEEDED: ErrorCode = {
  code: 'refund_not_succeeded',
  kind: 'state',
  meaning: 'Only a succeeded refund can be returned. Read it.',
};

export const REFUND_REFERENCE_REUSED: ErrorCode = {
  code: 'refund_reference_reused',
  kind: 'state',
  meaning: 'The reference was used for another refund. Read that refund.',
};

type Named = Readonly<{ id: string; status: string }>;

export function refused(code: ErrorCode, { id }: Pick<Named, 'id'>, message: string, param = 'id'): Refusal {
  return refusal(code, paramError(param, 'invalid_value', message), id);
}

export function requirePending(refund: Named): void {
  const { status } = refund;
  if (status !== 'pending') throw refused(REFUND_NOT_PENDING, refund, `The refund is ${status}, not pending.`);
}
