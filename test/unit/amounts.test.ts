/** Currencies and amounts that no request can hold are none of an entity either. */
import { expect, test } from '@jest/globals';
import { Payment } from '../../src/modules/payments/domain/payment.js';
import { Refund } from '../../src/modules/refunds/domain/refund.js';

const NOW = 1_763_700_000_000;
const OWNER = { organization: 'org_01kaf3v7q4e8yt5w6z9x2c1b0n', mode: 'live' } as const;

test.each(['xau', ''])('%j cannot be captured', (currency) => {
  const capture = { amount: 5000, currency, checkoutSession: null, reference: null };
  expect(() => Payment.record(capture, OWNER, NOW)).toThrow(RangeError);
});

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('%d cannot be refunded', (amount) => {
  const payment = { ...OWNER, id: 'pay_live_01h455vb4pex5vsknk084sn02q', currency: 'kwd', refundable: 5000 };
  const proposal = { payment: payment.id, amount, reference: null, description: null };
  expect(() => Refund.propose(payment, proposal, { now: NOW, ahead: 0 })).toThrow(RangeError);
});
