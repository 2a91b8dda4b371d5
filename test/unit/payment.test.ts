import { expect, test } from '@jest/globals';
import { type NewPayment, PAYMENT_ID, Payment } from '../../src/modules/payments/domain/payment.js';
import { isId } from '../../src/shared/id.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
const CAPTURE: NewPayment = { amount: 5000, currency: 'USD', checkoutSession: null, reference: 'ledger-1' };

const IMPOSSIBLE: readonly [string, Partial<NewPayment>][] = [
  ['nothing', { amount: 0 }],
  ['less than nothing', { amount: -1 }],
  ['a fraction', { amount: 0.5 }],
  ['more than the greatest amount', { amount: 1_000_000_000_000 }],
  ['no number', { amount: Number.NaN }],
  ['gold', { currency: 'xau' }],
  ['no currency', { currency: '' }],
];

const HELD = [
  { amountRefunded: 0, amountPendingRefund: 0, amountOnHold: 0, refundable: 5000 },
  { amountRefunded: 1200, amountPendingRefund: 0, amountOnHold: 0, refundable: 3800 },
  { amountRefunded: 0, amountPendingRefund: 1, amountOnHold: 700, refundable: 4299 },
  { amountRefunded: 2000, amountPendingRefund: 2000, amountOnHold: 1000, refundable: 0 },
];

test('a recorded payment holds what was captured, and nothing of it is refunded', () => {
  const { state } = Payment.record(CAPTURE, 'live', NOW);
  expect(state).toEqual({
    id: expect.stringMatching(/^pay_live_/),
    mode: 'live',
    amount: 5000,
    amountRefunded: 0,
    amountPendingRefund: 0,
    amountOnHold: 0,
    currency: 'usd',
    checkoutSession: null,
    mismatch: null,
    reference: 'ledger-1',
    notifyUrl: null,
    version: 1,
  });
  expect(isId(PAYMENT_ID, state.id)).toBe(true);
});

test.each([1, 999_999_999_999])('%i can be captured', (amount) => {
  expect(Payment.record({ ...CAPTURE, amount }, 'test', NOW).refundable).toBe(amount);
});

test.each(IMPOSSIBLE)('%s cannot be captured', (_, change) => {
  expect(() => Payment.record({ ...CAPTURE, ...change }, 'test', NOW)).toThrow(RangeError);
});

test.each(HELD)(
  '$refundable is left of 5000 when $amountRefunded is refunded, $amountPendingRefund pending and $amountOnHold on hold',
  (held) => {
    const { refundable, ...amounts } = held;
    const { state } = Payment.record(CAPTURE, 'test', NOW);
    expect(Payment.restore({ ...state, ...amounts }).refundable).toBe(refundable);
  },
);

test('a reference belongs to one capture: amount, currency and session must be the same', () => {
  const payment = Payment.record({ ...CAPTURE, reference: 'capture-1' }, 'test', NOW);
  const again = (change: Partial<NewPayment>) => () =>
    payment.requireSameCapture(Payment.record({ ...CAPTURE, ...change }, 'test', NOW + 1));
  expect(again({})).not.toThrow();
  expect(again({ currency: 'usd' })).not.toThrow();
  for (const change of [
    { amount: 5001 },
    { currency: 'eur' },
    { checkoutSession: 'cs_test_01h455vb4pex5vsknk084sn02q' },
  ])
    expect(refusalOf(again(change))).toMatchObject({
      code: 'payment_reference_reused',
      errors: [{ param: 'reference', code: 'invalid_value' }],
      resource: payment.state.id,
    });
});
