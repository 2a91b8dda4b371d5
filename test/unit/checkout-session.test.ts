import { describe, expect, test } from '@jest/globals';
import { CheckoutSession } from '../../src/modules/checkout/domain/checkout-session.js';
import { type NewCheckoutSession } from '../../src/modules/checkout/domain/session-terms.js';
import { newLine, newSession } from '../support/checkout.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;

describe('a new session', () => {
  test('with a total of 0 needs no payment', () => {
    const free = newSession({ lineItems: [newLine({ unitPrice: 0 })] });
    expect(CheckoutSession.open(free, 'test', NOW).state.paymentStatus).toBe('no_payment_required');
  });

  test.each([
    ['auto', 'auto'],
    ['EN-us', 'en-US'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
  ])('has the locale %s as %s', (locale, canonical) => {
    expect(CheckoutSession.open(newSession({ locale }), 'test', NOW).state.locale).toBe(canonical);
  });

  test('is refused for all its faults together', () => {
    const input = newSession({
      amount: 1,
      expiresAt: 0,
      lineItems: [newLine({ amountTotal: 1 }), newLine({ currency: 'eur', amountSubtotal: 1 })],
    });
    expect(faultsOf(input).map(([param]) => param)).toEqual([
      'line_items[1].price_data.currency',
      'line_items[0].amount_total',
      'line_items[1].amount_subtotal',
      'amount',
      'expires_at',
    ]);
  });
});

describe('an open session', () => {
  const session = CheckoutSession.open(newSession(), 'test', NOW);

  test('is complete once it is paid', () => {
    expect(session.pay({ amount: 1000, currency: 'usd' }).state).toEqual({
      ...session.state,
      status: 'complete',
      paymentStatus: 'paid',
    });
  });

  test('can be ended', () => {
    expect(session.expire().state).toEqual({ ...session.state, status: 'expired' });
  });

  test('takes no other amount or currency', () => {
    expect(refusalOf(() => session.pay({ amount: 999, currency: 'eur' }))).toEqual({
      code: 'payment_session_mismatch',
      resource: session.state.id,
      errors: [
        { param: 'amount', code: 'amount_mismatch', message: expect.any(String), allowed: ['1000'] },
        { param: 'currency', code: 'currency_mismatch', message: expect.any(String), allowed: ['usd'] },
      ],
    });
  });
});

function faultsOf(input: NewCheckoutSession, now = NOW, mode: 'test' | 'live' = 'test') {
  const { code, errors } = refusalOf(() => CheckoutSession.open(input, mode, now));
  expect(code).toBe('invalid_param');
  return errors.map((error) => [error.param, error.code, error.allowed]);
}
