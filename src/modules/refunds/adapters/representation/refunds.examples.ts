/** Refusals of the domain for the API's description: it runs them and shows what they throw. */

import { exampleId } from '../../../../platform/http/schema.js';
import { notFound } from '../../../../shared/errors.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import { REFUND_ID, Refund, type RefundStatus } from '../../domain/refund.js';

const PAYMENT = { id: exampleId(PAYMENT_ID), mode: 'test', currency: 'usd', refundable: 500 } as const;
const refund = (status: RefundStatus) =>
  Refund.restore({
    id: exampleId(REFUND_ID),
    mode: 'test',
    amount: 500,
    currency: 'usd',
    status,
    payment: PAYMENT.id,
    failureReason: null,
  });

export const REFUSED_PROPOSALS = [
  () => notFound('payment'),
  () => Refund.propose(PAYMENT, 501, 0),
  () => Refund.propose({ ...PAYMENT, refundable: 0 }, 500, 0),
];
export const REFUSED_CANCEL = [() => refund('succeeded').cancel()];
export const REFUSED_SUCCESS = [() => refund('canceled').succeed()];
export const REFUSED_FAILURE = [() => refund('canceled').fail(null)];
