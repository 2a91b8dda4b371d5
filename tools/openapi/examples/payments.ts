import { Hold } from '../../../src/modules/payments/domain/hold.js';
import { PAYMENT_ID, Payment } from '../../../src/modules/payments/domain/payment.js';
import { exampleId } from '../../../src/request/schema.js';
import { ORGANIZATION_ID } from '../../../src/shared/id.js';
import type { Examples } from '../operation-examples.js';
import { REFUSED_PAYMENTS } from './checkout.js';

const OWNER = { organization: exampleId(ORGANIZATION_ID), mode: 'test' } as const;
const CAPTURE = { currency: 'usd', checkoutSession: null, reference: 'capture-4711' };
const payment = (amount: number) =>
  Payment.restore({
    ...Payment.record({ ...CAPTURE, amount }, OWNER, 0).state,
    id: exampleId(PAYMENT_ID),
  });
const HOLD = { amount: 501, reason: null, reference: null };

export const REFUSED_WHEN_EMPTY = () => payment(500).withHold(500).requireRefundable('payment');
export const REFUSED_WHEN_PAID_OUT = () => payment(500).withHold(400).requirePayable(500);

export const EXAMPLES: Examples = {
  recordPayment: {
    body: { organization: exampleId(ORGANIZATION_ID), amount: 5000, currency: 'usd' },
    refusals: [...REFUSED_PAYMENTS, () => payment(5000).requireSameCapture(payment(4999))],
  },
  placeHold: {
    body: { amount: 5000, reason: 'fraudulent', reference: 'dispute-42' },
    refusals: [
      () => Hold.place(payment(500), HOLD, 0),
      () => Hold.place(payment(500).withHold(500), HOLD, 0),
    ],
  },
  releaseHold: { answer: { status: 'released' } },
  'payment.unmatched': { answer: { data: { object: { mismatch: 'amount' } } } },
  'payment.held': {
    answer: { sequence: 2, data: { object: { amount_on_hold: 5000, amount_refundable: 0 } } },
  },
  'payment.released': { answer: { sequence: 3 } },
};
