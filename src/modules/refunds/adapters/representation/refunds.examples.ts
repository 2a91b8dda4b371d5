/** Error examples for the API's description. Each function makes the domain throw the refusal that is shown. */

import { exampleId } from '../../../../platform/http/schema.js';
import { notFound } from '../../../../shared/errors.js';
import { PAYMENT_ID, REFUSED_WHEN_EMPTY } from '../../../payments/index.js';
import { REFUND_ID, Refund, type RefundStatus } from '../../domain/refund.js';

const PAYMENT = { id: exampleId(PAYMENT_ID), mode: 'test', currency: 'usd', refundable: 500 } as const;
const refund = (status: RefundStatus, claimNumber = 0) =>
  Refund.restore({
    id: exampleId(REFUND_ID),
    mode: 'test',
    amount: 500,
    currency: 'usd',
    status,
    payment: PAYMENT.id,
    failureReason: null,
    claimNumber,
    claimExpiresAt: claimNumber === 0 ? null : 0,
  });

export const REFUSED_PROPOSALS = [
  () => notFound('payment'),
  () => Refund.propose(PAYMENT, 501, 0),
  REFUSED_WHEN_EMPTY('payment'),
];
export const REFUSED_CANCEL = [() => refund('succeeded').cancel(), () => refund('pending', 1).cancel()];
export const REFUSED_SUCCESS = [() => refund('canceled').succeed()];
export const REFUSED_FAILURE = [() => refund('canceled').fail(null, null), () => refund('pending', 2).fail(null, 1)];
export const REFUSED_CLAIM = [() => refund('canceled').requireClaim(1), () => refund('pending', 2).requireClaim(1)];
export const REFUSED_RETURN = [() => refund('pending').return(null)];
