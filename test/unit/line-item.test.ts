import { expect, test } from '@jest/globals';
import {
  AmountFaults,
  type LineItem,
  type NewLineItem,
  priceLine,
} from '../../src/modules/checkout/domain/line-item.js';
import { newLine } from '../support/checkout.js';
import { refusalOf } from '../support/refusal.js';

const MAX = 999_999_999_999;

const REFUSED: readonly [string, Partial<NewLineItem>, readonly unknown[]][] = [
  ['a wrong subtotal', { amountSubtotal: 999 }, [['amount_subtotal', 'amount_mismatch', ['1000']]]],
  ['a wrong total', { amountTotal: 1001 }, [['amount_total', 'amount_mismatch', ['1000']]]],
  [
    'both wrong',
    { quantity: 3, amountSubtotal: 0, amountTotal: 0 },
    [
      ['amount_subtotal', 'amount_mismatch', ['3000']],
      ['amount_total', 'amount_mismatch', ['3000']],
    ],
  ],
  ['a discount above the subtotal', { amountDiscount: 1001 }, [['amount_discount', 'too_large', ['1000']]]],
  ['tax above the total it is inside of', { amountTax: 1001 }, [['amount_tax', 'too_large', ['1000']]]],
  ['the same after a discount', { amountDiscount: 1, amountTax: 1000 }, [['amount_tax', 'too_large', ['999']]]],
  [
    'more than the greatest amount',
    { unitPrice: MAX, quantity: 2 },
    [['price_data.unit_amount', 'too_large', ['499999999999']]],
  ],
  [
    'a product beyond 2^53',
    { unitPrice: MAX, quantity: 999_999 },
    [['price_data.unit_amount', 'too_large', ['1000001']]],
  ],
  [
    'tax that lifts the total above it',
    { unitPrice: MAX, amountTax: 1, taxBehavior: 'exclusive' },
    [['amount_tax', 'too_large', ['0']]],
  ],
];

const IMPOSSIBLE: readonly Partial<NewLineItem>[] = [
  { unitPrice: 2 ** 53 },
  { unitPrice: -1 },
  { unitPrice: 0.5 },
  { unitPrice: Number.NaN },
  { unitPrice: MAX + 1 },
  { quantity: 0 },
  { quantity: -1 },
  { quantity: 1.5 },
  { amountDiscount: -1 },
  { amountDiscount: 0.1 },
  { amountTax: -1 },
  { amountTax: Number.POSITIVE_INFINITY },
];

test('what is not said has its default', () => {
  expect(priced({})).toEqual({
    productName: 'Book',
    description: null,
    images: [],
    taxBehavior: 'inclusive',
    quantity: 1,
    unitPrice: 1000,
    currency: 'usd',
    amountSubtotal: 1000,
    amountDiscount: 0,
    amountTax: 0,
    amountTotal: 1000,
  });
});

test.each(REFUSED)('%s is refused', (_, change, expected) => {
  const { code, errors } = refusalOf(() => priced(change));
  expect(code).toBe('invalid_param');
  expect(errors.map((error) => [error.param, error.code, error.allowed])).toEqual(
    (expected as [string, string, string[]][]).map(([param, ...rest]) => [`line_items[4].${param}`, ...rest]),
  );
});

test.each(IMPOSSIBLE)('%j is nothing a request can hold', (change) => {
  expect(() => priced(change)).toThrow(RangeError);
});

function priced(change: Partial<NewLineItem>): LineItem {
  const faults = new AmountFaults();
  const line = priceLine(newLine(change), 'usd', 'line_items[4]', faults);
  faults.throwIfAny();
  return line;
}
