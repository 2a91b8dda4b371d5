/** An entity refuses every amount that a request cannot hold. */
import { expect, test } from '@jest/globals';
import {
  AmountFaults,
  type NewLineItem,
  priceLine,
} from '../../src/modules/checkout/domain/line-item.js';
import { type NewPayment, Payment } from '../../src/modules/payments/domain/payment.js';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import { newLine } from '../support/checkout.js';

const NOW = 1_763_700_000_000;
const MAX = 999_999_999_999;

const LINES: readonly Partial<NewLineItem>[] = [
  ...[2 ** 53, -1, 0.5, Number.NaN, MAX + 1].map((unitPrice) => ({ unitPrice })),
  ...[0, -1, 1.5].map((quantity) => ({ quantity })),
  ...[-1, 0.1].map((amountDiscount) => ({ amountDiscount })),
  ...[-1, Number.POSITIVE_INFINITY].map((amountTax) => ({ amountTax })),
];

test.each(LINES)('makes no line with %j', (change) => {
  expect(() => priceLine(newLine(change), 'usd', 'line_items[4]', new AmountFaults())).toThrow(
    new RangeError('Prices, quantities, discounts and taxes are whole numbers.'),
  );
});

const OWNER = { organization: 'org_01kaf3v7q4e8yt5w6z9x2c1b0n', mode: 'live' } as const;
const NO_AMOUNT = `An amount is a whole number from 1 to ${MAX}.`;
const CAPTURES: readonly [change: Partial<NewPayment>, message: string][] = [
  ...[0, -1, 0.5, MAX + 1, Number.NaN].map((amount): [object, string] => [{ amount }, NO_AMOUNT]),
  [{ currency: 'xau' }, 'xau is not an ISO 4217 currency.'],
  [{ currency: '' }, ' is not an ISO 4217 currency.'],
];

test.each(CAPTURES)('captures no payment with %j', (change, message) => {
  const capture: NewPayment = {
    amount: 5000,
    currency: 'USD',
    checkoutSession: null,
    reference: null,
  };
  expect(() => Payment.record({ ...capture, ...change }, OWNER, NOW)).toThrow(
    new RangeError(message),
  );
});

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'proposes no refund of %d',
  (amount) => {
    const payment = {
      ...OWNER,
      id: 'pay_live_01h455vb4pex5vsknk084sn02q',
      currency: 'kwd',
      refundable: 5000,
    };
    const proposal = { payment: payment.id, amount, reference: null, description: null };
    expect(() => Refund.propose(payment, proposal, { now: NOW, ahead: 0 })).toThrow(
      new RangeError('A refund has a whole amount of at least 1.'),
    );
  },
);
