import { describe, expect, test } from '@jest/globals';
import { REFUND_ID, Refund, type RefundablePayment } from '../../src/modules/refunds/domain/refund.js';
import { isId } from '../../src/shared/id.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
const PAYMENT: RefundablePayment = {
  id: 'pay_live_01h455vb4pex5vsknk084sn02q',
  mode: 'live',
  currency: 'kwd',
  refundable: 5000,
};

const proposal = (amount: number) => ({ payment: PAYMENT.id, amount, reference: null, description: null });
const FAILURE = { reason: null, claim: null, providerReference: null };

test.each([1, 4999, 5000])('%i of the 5000 left can be proposed', (amount) => {
  const { state } = Refund.propose(PAYMENT, proposal(amount), NOW);
  expect(state).toEqual({
    id: expect.stringMatching(/^re_live_/),
    mode: 'live',
    amount,
    currency: 'kwd',
    status: 'pending',
    payment: PAYMENT.id,
    reference: null,
    description: null,
    providerReference: null,
    failureReason: null,
    claimNumber: 0,
    claimExpiresAt: null,
    lapses: 0,
    claimableAt: 0,
  });
  expect(isId(REFUND_ID, state.id)).toBe(true);
  expect(Refund.restore(state).state).toEqual(state);
});

test.each([5001, 999_999_999_999])('%i is more than is left, and the refusal says how much is', (amount) => {
  expect(refusalOf(() => Refund.propose(PAYMENT, proposal(amount), NOW))).toEqual({
    code: 'refund_exceeds_remaining',
    resource: PAYMENT.id,
    errors: [{ param: 'amount', code: 'too_large', message: expect.stringContaining('5000'), allowed: ['5000'] }],
  });
});

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('%d is no amount', (amount) => {
  expect(() => Refund.propose(PAYMENT, proposal(amount), NOW)).toThrow(RangeError);
});

describe('a pending refund', () => {
  const pending = Refund.propose(PAYMENT, proposal(100), NOW);
  const closed = {
    succeeded: pending.succeed(null),
    failed: pending.fail({ ...FAILURE, reason: 'account closed' }),
    canceled: pending.cancel(),
  };

  test.each([
    ['succeeded', null],
    ['failed', 'account closed'],
    ['canceled', null],
  ] as const)('can be %s, for the reason %j', (status, failureReason) => {
    expect(closed[status].state).toEqual({ ...pending.state, status, failureReason });
  });

  test('stays as it was closed, told twice', () => {
    expect(closed.succeeded.succeed(null).state).toEqual(closed.succeeded.state);
    expect(closed.failed.fail({ ...FAILURE, reason: 'another reason' }).state).toEqual(closed.failed.state);
  });

  test.each([
    ['succeeded', 'failed', () => closed.succeeded.fail(FAILURE)],
    ['succeeded', 'canceled', () => closed.succeeded.cancel()],
    ['failed', 'succeeded', () => closed.failed.succeed(null)],
    ['failed', 'canceled', () => closed.failed.cancel()],
    ['canceled', 'succeeded', () => closed.canceled.succeed(null)],
    ['canceled', 'failed', () => closed.canceled.fail(FAILURE)],
    ['canceled', 'canceled', () => closed.canceled.cancel()],
  ])('once %s is not %s any more', (_, __, close) => {
    expect(refusalOf(close)).toEqual({
      code: 'refund_not_pending',
      resource: pending.state.id,
      errors: [{ param: 'id', code: 'invalid_value', message: expect.any(String), allowed: [] }],
    });
  });
});
