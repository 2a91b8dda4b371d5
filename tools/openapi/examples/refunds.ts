import { API_KEY_ID } from '../../../src/modules/access/index.js';
import { PAYMENT_ID } from '../../../src/modules/payments/index.js';
import { Refund } from '../../../src/modules/refunds/domain/refund.js';
import {
  REFUND_ID,
  type RefundState,
  type RefundStatus,
} from '../../../src/modules/refunds/domain/refund-state.js';
import { exampleId } from '../../../src/request/schema.js';
import { notFound } from '../../../src/shared/errors.js';
import { ORGANIZATION_ID } from '../../../src/shared/id.js';
import type { Examples } from '../operation-examples.js';
import { REFUSED_WHEN_EMPTY, REFUSED_WHEN_PAID_OUT } from './payments.js';

const OWNER = { organization: exampleId(ORGANIZATION_ID), mode: 'test' } as const;
const PAYMENT = { ...OWNER, id: exampleId(PAYMENT_ID), currency: 'usd', refundable: 500 };
const proposal = (amount: number) => ({
  payment: PAYMENT.id,
  amount,
  reference: 'return-4711',
  description: null,
});
const START = { now: 0, ahead: 0 };
const refund = (status: RefundStatus, claimNumber = 0, more: Partial<RefundState> = {}) =>
  Refund.restore({
    ...Refund.propose(PAYMENT, proposal(500), START).state,
    id: exampleId(REFUND_ID),
    status,
    claimNumber,
    claimExpiresAt: claimNumber === 0 ? null : 0,
    ...more,
  });
const BOT = { key: exampleId(API_KEY_ID), holder: 'support-bot', actor: null };
const LEAD = { key: exampleId(API_KEY_ID), holder: 'support-lead', actor: 'Ana' };
const WAITING = { approval: 'waiting', proposedBy: BOT } as const;
const APPROVED = { ...WAITING, approval: 'approved' } as const;
const DECISION = { by: LEAD, comment: 'Seen the parcel.', now: 0 };
const approval = (state: string, decided_by: unknown = null) => ({
  state,
  proposed_by: BOT,
  decided_by,
});
const FAILURE = { reason: null, claim: null, providerReference: null };
const PAYOUT = { amount: 500, provider_reference: 'payout_4711' };
const MADE = { ...proposal(500), reference: null, providerReference: 'payout_4711' };
const CLAIMED = { claim: { number: 1, expires_at: 1_763_700_060 } };

const SUCCESS = {
  answer: { status: 'succeeded' },
  refusals: [() => refund('canceled').succeed(null), REFUSED_WHEN_PAID_OUT],
};
const FAILED = {
  answer: { status: 'failed' },
  refusals: [
    () => refund('canceled').fail(FAILURE),
    () => refund('pending', 2).fail({ ...FAILURE, claim: 1 }),
  ],
};
const RETURNED = { answer: { status: 'failed' }, refusals: [() => refund('pending').return(null)] };
const REFUSED_CLAIM = [
  () => refund('canceled').requireClaim(1),
  () => refund('pending', 2).requireClaim(1),
];

export const EXAMPLES: Examples = {
  proposeRefund: {
    body: { payment: exampleId(PAYMENT_ID), amount: 500 },
    refusals: [
      () => notFound('payment', 'test'),
      () => Refund.propose(PAYMENT, proposal(501), START),
      () => refund('pending').requireSameProposal(proposal(499)),
      REFUSED_WHEN_EMPTY,
    ],
  },
  cancelRefund: {
    answer: { status: 'canceled' },
    refusals: [() => refund('succeeded').cancel(0), () => refund('pending', 1).cancel(0)],
  },
  readRefundApproval: { answer: { ...approval('waiting'), comment: null, decided_at: null } },
  approveRefund: {
    body: { amount: 500 },
    answer: approval('approved', LEAD),
    refusals: [
      () => refund('canceled', 0, WAITING).approve(500, DECISION),
      () => refund('pending', 0, WAITING).approve(500, { ...DECISION, by: BOT }),
      () => refund('pending', 0, WAITING).approve(499, DECISION),
    ],
  },
  rejectRefund: {
    answer: approval('rejected', LEAD),
    refusals: [
      () => refund('pending', 0, APPROVED).reject(DECISION),
      () => refund('pending', 0, WAITING).reject({ ...DECISION, by: BOT }),
    ],
  },
  recordRefund: {
    body: { organization: exampleId(ORGANIZATION_ID), payment: exampleId(PAYMENT_ID), ...PAYOUT },
    answer: { ...PAYOUT, status: 'succeeded' },
    refusals: [
      () => notFound('payment', 'test'),
      () => Refund.record(PAYMENT, { ...MADE, amount: 501 }, START),
      () =>
        Refund.restore({ ...refund('succeeded').state, ...MADE }).found({ ...MADE, amount: 499 }),
    ],
  },
  succeedRefund: SUCCESS,
  failRefund: FAILED,
  returnRefund: RETURNED,
  claimRefunds: { body: { limit: 10, lease_seconds: 60 }, answer: CLAIMED },
  extendClaim: { body: { claim: 1, lease_seconds: 60 }, answer: CLAIMED, refusals: REFUSED_CLAIM },
  releaseClaim: { body: { claim: 1 }, refusals: REFUSED_CLAIM },
  succeedTestRefund: SUCCESS,
  failTestRefund: FAILED,
  returnTestRefund: RETURNED,
  'refund.approved': { answer: { sequence: 2, data: { approval: 'approved' } } },
  'refund.succeeded': { answer: { sequence: 2, data: { object: { status: 'succeeded' } } } },
  'refund.failed': {
    answer: {
      sequence: 2,
      data: { object: { status: 'failed' }, reason: 'The account is closed.' },
    },
  },
  'refund.canceled': { answer: { sequence: 2, data: { object: { status: 'canceled' } } } },
};
