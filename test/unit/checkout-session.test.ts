import { describe, expect, test } from '@jest/globals';
import { CHECKOUT_SESSION_ID, CheckoutSession } from '../../src/modules/checkout/domain/checkout-session.js';
import { type NewCheckoutSession } from '../../src/modules/checkout/domain/session-terms.js';
import { createdAt, isId } from '../../src/shared/id.js';
import { newLine, newSession } from '../support/checkout.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

describe('a new session', () => {
  test('has the fields of the request, and defaults for the rest', () => {
    const { state } = CheckoutSession.open(newSession(), 'test', NOW);
    expect(state).toEqual({
      id: expect.stringMatching(/^cs_test_/),
      mode: 'test',
      uiMode: 'hosted',
      status: 'open',
      paymentStatus: 'unpaid',
      currency: 'usd',
      amountSubtotal: 1000,
      amountDiscount: 0,
      amountShipping: 0,
      amountTax: 0,
      amountTotal: 1000,
      successUrl: null,
      cancelUrl: null,
      returnUrl: null,
      notifyUrl: null,
      description: null,
      customerEmail: null,
      locale: null,
      metadata: {},
      expiresAt: createdAt(state.id) + DAY,
      lineItems: [expect.objectContaining({ productName: 'Book', amountTotal: 1000 })],
    });
    expect(isId(CHECKOUT_SESSION_ID, state.id)).toBe(true);
    expect(CheckoutSession.restore(state).state).toEqual(state);
  });

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

describe('the expiry', () => {
  const CREATED = Math.floor(afterNow() / 1000);

  test.each([4 * MINUTE, 5 * MINUTE, DAY, DAY + MINUTE])('may be %i seconds ahead', (ahead) => {
    const { expiresAt } = CheckoutSession.open(newSession({ expiresAt: CREATED + ahead }), 'test', afterNow()).state;
    expect(expiresAt).toBe(CREATED + ahead);
  });

  test.each([
    [4 * MINUTE - 1, 'too_small'],
    [0, 'too_small'],
    [-DAY, 'too_small'],
    [DAY + MINUTE + 1, 'too_large'],
  ])('may not be %i seconds ahead', (ahead, code) => {
    expect(faultsOf(newSession({ expiresAt: CREATED + ahead }), afterNow())).toEqual([['expires_at', code, []]]);
  });

  /** Later than every other session of this file: an id's instant never goes back. */
  function afterNow(): number {
    return NOW + 1_000_000;
  }
});

describe('http URLs', () => {
  const local = 'http://localhost:3000/';
  const input = newSession({
    successUrl: local,
    cancelUrl: local,
    returnUrl: local,
    notifyUrl: 'https://shop.example/notify',
    lineItems: [newLine(), newLine({ images: ['https://shop.example/a.png', local] })],
  });

  test('are for test mode', () => {
    expect(CheckoutSession.open(input, 'test', NOW).state.successUrl).toBe(local);
  });

  test('are refused in live mode, each by name', () => {
    expect(faultsOf(input, NOW, 'live')).toEqual([
      ['success_url', 'invalid_format', []],
      ['cancel_url', 'invalid_format', []],
      ['return_url', 'invalid_format', []],
      ['line_items[1].price_data.product_data.images[1]', 'invalid_format', []],
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
