import { expect, test } from '@jest/globals';
import { CURRENCIES, currencyOf, MAX_AMOUNT } from '../../src/shared/money.js';

/** Metals, units of account, bond markets, testing and none: ISO 4217 gives them no minor unit. */
const WITHOUT_MINOR_UNIT = 'xag xau xba xbb xbc xbd xdr xpd xpt xsu xts xua xxx'.split(' ');

/** One of each number of minor units: two, none, three, four. */
const ACCEPTED = ['usd', 'jpy', 'kwd', 'clf', 'uyw', 'xof', 'che', 'zwg'];

const REFUSED = [
  '',
  'us',
  'usdd',
  'u$d',
  ' usd',
  'usd ',
  'usd\n',
  'abc',
  '840',
  'dem',
  'constructor',
  'KWD'.replace('K', '\u212a'),
];

test.each(ACCEPTED)('%s is accepted in any case and becomes lower case', (currency) => {
  const cases = [currency, currency.toUpperCase(), currency.charAt(0).toUpperCase() + currency.slice(1)];
  expect(cases.map(currencyOf)).toEqual([currency, currency, currency]);
});

test.each([...WITHOUT_MINOR_UNIT, ...REFUSED])('%j is refused', (text) => {
  expect(currencyOf(text)).toBeUndefined();
  expect(currencyOf(text.toUpperCase())).toBeUndefined();
});

test('the list names each currency once, sorted, and only with a minor unit', () => {
  expect(CURRENCIES).toEqual([...new Set(CURRENCIES)].sort());
  expect(CURRENCIES.filter((code) => !/^[a-z]{3}$/.test(code) || WITHOUT_MINOR_UNIT.includes(code))).toEqual([]);
  expect(CURRENCIES.length).toBeGreaterThan(150);
});

test('the greatest amount leaves room for exact sums', () => {
  expect(MAX_AMOUNT).toBe(999_999_999_999);
  expect(Number.isSafeInteger(MAX_AMOUNT * 1000)).toBe(true);
});
