import { expect, test } from '@jest/globals';
import { CURRENCIES, MAX_AMOUNT } from '../../src/shared/money.js';

/** Metals, units of account, bond markets, testing and none: ISO 4217 gives them no minor unit. */
const WITHOUT_MINOR_UNIT = 'xag xau xba xbb xbc xbd xdr xpd xpt xsu xts xua xxx'.split(' ');

test('the list names each currency once, sorted, and only with a minor unit', () => {
  expect(CURRENCIES).toEqual([...new Set(CURRENCIES)].sort());
  expect(
    CURRENCIES.filter((code) => !/^[a-z]{3}$/.test(code) || WITHOUT_MINOR_UNIT.includes(code)),
  ).toEqual([]);
  expect(CURRENCIES.length).toBeGreaterThan(150);
});

test('the greatest amount leaves room for exact sums', () => {
  expect(MAX_AMOUNT).toBe(999_999_999_999);
  expect(Number.isSafeInteger(MAX_AMOUNT * 1000)).toBe(true);
});
