import { expect, test } from '@jest/globals';
import { CURRENCIES, MAX_AMOUNT } from '../../src/shared/money.js';

/**
 * ISO 4217 gives no minor unit to metals, units of account, bond markets, testing and "no
 * currency".
 */
const WITHOUT_MINOR_UNIT = 'xag xau xba xbb xbc xbd xdr xpd xpt xsu xts xua xxx'.split(' ');

test('the list of currencies is sorted, and names each currency with a minor unit once', () => {
  expect(CURRENCIES).toEqual([...new Set(CURRENCIES)].sort());
  expect(
    CURRENCIES.filter((code) => !/^[a-z]{3}$/.test(code) || WITHOUT_MINOR_UNIT.includes(code)),
  ).toEqual([]);
  expect(CURRENCIES.length).toBeGreaterThan(150);
});

test('the sum of a thousand greatest amounts is still exact', () => {
  expect(Number.isSafeInteger(MAX_AMOUNT * 1000)).toBe(true);
});
