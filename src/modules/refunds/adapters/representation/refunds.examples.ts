import { exampleId } from '../../../../platform/http/schema.js';
import { notFound } from '../../../../shared/errors.js';
import { PAYMENT_ID, REFUSED_WHEN_EMPTY, REFUSED_WHEN_PAID_OUT } from '../../../payments/index.js';
import { REFUND_ID, Refund, type RefundStatus } from '../../domain/refund.js';

const PAYMENT = { id: exampleId(PAYMENT_ID), mode: 'test', currency: 'usd', refundable: 500 } as const;
const proposal = (amount: number) => ({ payment: PAYMENT.id, amount, reference: 'return-4711', description: null });
const refund = (status: RefundStatus, claimNumber = 0) =>
  Refund.restore({
    ...Refund.propose(PAYMENT, proposal(500), 0).state,
    id: exampleId(REFUND_ID),
    status,
    claimNumber,
    claimExpiresAt: claimNumber === 0 ? null : 0,
  });
const FAILURE = { reason: null, claim: null, providerReference: null };

export const REFUSED_PROPOSALS = [
  () => notFound('payment', 'test'),
  () => Refund.propose(PAYMENT, proposal(501), 0),
  () => refund('pending').requireSameProposal(proposal(499)),
  REFUSED_WHEN_EMPTY('payment'),
];
const MADE = { ...proposal(500), reference: null, providerReference: 'payout_4711' };
export const REFUSED_MADE = [
  () => notFound('payment', 'test'),
  () => Refund.record(PAYMENT, { ...MADE, amount: 501 }, 0),
  () => Refund.restore({ ...refund('succeeded').state, ...MADE }).found({ ...MADE, amount: 499 }),
];
export const REFUSED_CANCEL = [() => refund('succeeded').cancel(), () => refund('pending', 1).cancel()];
export const REFUSED_SUCCESS = [() => refund('canceled').succeed(null), REFUSED_WHEN_PAID_OUT];
export const REFUSED_FAILURE = [
  () => refund('canceled').fail(FAILURE),
  () => refund('pending', 2).fail({ ...FAILURE, claim: 1 }),
];
export const REFUSED_CLAIM = [() => refund('canceled').requireClaim(1), () => refund('pending', 2).requireClaim(1)];
export const REFUSED_RETURN = [() => refund('pending').return(null)];
