/** Random lines, compared with a model that uses BigInt. */
import { expect, test } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { CheckoutSession } from '../../src/modules/checkout/domain/checkout-session.js';
import type { NewLineItem } from '../../src/modules/checkout/domain/line-item.js';
import { type NewCheckoutSession } from '../../src/modules/checkout/domain/session-terms.js';
import { newLine, newSession } from '../support/checkout.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
/** A hundred lines of at most this much, and their tax, stay below the greatest amount. */
const GREATEST_LINE = 4_000_000_000;

type Order = Pick<NewCheckoutSession, 'lineItems' | 'amountShipping'>;

const line: Arbitrary<NewLineItem> = fc
  .record({
    quantity: fc.option(fc.integer({ min: 1, max: 999_999 }), { nil: undefined }),
    share: fc.nat(GREATEST_LINE),
    discount: fc.double({ min: 0, max: 1, noNaN: true }),
    tax: fc.double({ min: 0, max: 1, noNaN: true }),
    taxBehavior: fc.constantFrom('inclusive', 'exclusive', undefined),
  })
  .map(({ quantity, share, discount, tax, taxBehavior }) => {
    const unitPrice = Math.floor(share / (quantity ?? 1));
    const subtotal = unitPrice * (quantity ?? 1);
    const amountDiscount = Math.floor(subtotal * discount);
    const amountTax = Math.floor((subtotal - amountDiscount) * tax);
    return newLine({ quantity, unitPrice, taxBehavior, amountDiscount, amountTax });
  });

const order: Arbitrary<Order> = fc.record({
  lineItems: fc.array(line, { minLength: 1, maxLength: 100 }),
  amountShipping: fc.option(fc.nat(1_000_000), { nil: undefined }),
});

/** The right value of every amount a caller may claim, by its path in the request. */
function model({ lineItems, amountShipping = 0 }: Order): Map<string, bigint> {
  const claims = new Map<string, bigint>();
  const sums = { subtotal: 0n, discount: 0n, tax: 0n, total: BigInt(amountShipping) };
  lineItems.forEach(({ unitPrice, quantity = 1, amountDiscount = 0, amountTax = 0, taxBehavior }, at) => {
    const subtotal = BigInt(unitPrice) * BigInt(quantity);
    const total = subtotal - BigInt(amountDiscount) + (taxBehavior === 'exclusive' ? BigInt(amountTax) : 0n);
    claims.set(`line_items[${at}].amount_subtotal`, subtotal).set(`line_items[${at}].amount_total`, total);
    sums.subtotal += subtotal;
    sums.discount += BigInt(amountDiscount);
    sums.tax += BigInt(amountTax);
    sums.total += total;
  });
  return claims
    .set('amount', sums.total)
    .set('amount_subtotal', sums.subtotal)
    .set('amount_discount', sums.discount)
    .set('amount_tax', sums.tax)
    .set('amount_total', sums.total);
}

/** The order with every amount claimed. */
function claim({ lineItems, amountShipping }: Order, claims: ReadonlyMap<string, bigint>): NewCheckoutSession {
  const at = (path: string) => Number(claims.get(path));
  return newSession({
    amountShipping,
    amount: at('amount'),
    amountSubtotal: at('amount_subtotal'),
    amountDiscount: at('amount_discount'),
    amountTax: at('amount_tax'),
    amountTotal: at('amount_total'),
    lineItems: lineItems.map((item, index) => ({
      ...item,
      amountSubtotal: at(`line_items[${index}].amount_subtotal`),
      amountTotal: at(`line_items[${index}].amount_total`),
    })),
  });
}

test("the computed amounts equal the model's, whether the caller sends them or not", () => {
  fc.assert(
    fc.property(order, (wanted) => {
      const claims = model(wanted);
      const { state } = CheckoutSession.open(claim(wanted, claims), 'test', NOW);
      expect(CheckoutSession.open(newSession(wanted), 'test', NOW).state).toEqual({ ...state, id: expect.any(String) });
      expect(state).toMatchObject({
        amountSubtotal: Number(claims.get('amount_subtotal')),
        amountDiscount: Number(claims.get('amount_discount')),
        amountShipping: wanted.amountShipping ?? 0,
        amountTax: Number(claims.get('amount_tax')),
        amountTotal: Number(claims.get('amount_total')),
        paymentStatus: claims.get('amount_total') === 0n ? 'no_payment_required' : 'unpaid',
      });
    }),
  );
});

test('wrong amounts, one or many, are reported at once with their right values, and nothing else', () => {
  const anyPaths = order.chain((wanted) =>
    fc.tuple(fc.constant(wanted), fc.subarray([...model(wanted).keys()], { minLength: 1 })),
  );
  const anyDifference = fc.integer({ min: -1_000_000 }).filter((difference) => difference !== 0);
  fc.assert(
    fc.property(anyPaths, anyDifference, ([wanted, paths], difference) => {
      const right = model(wanted);
      const claims = new Map(right);
      for (const path of paths) claims.set(path, (right.get(path) as bigint) + BigInt(difference));
      const { code, errors } = refusalOf(() => CheckoutSession.open(claim(wanted, claims), 'test', NOW));
      expect(code).toBe('invalid_param');
      const reported = errors.map((error) => [error.param, error.code, error.allowed]);
      const wrong = paths.map((param) => [param, 'amount_mismatch', [String(right.get(param))]]);
      expect(reported.sort()).toEqual(wrong.sort());
    }),
  );
});
