/** These tests compare random carts with a model that uses BigInt. */
import { expect, test } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { CheckoutSession } from '../../src/modules/checkout/domain/checkout-session.js';
import type { NewLineItem } from '../../src/modules/checkout/domain/line-item.js';
import type { NewCheckoutSession } from '../../src/modules/checkout/domain/session-terms.js';
import type { Refusal } from '../../src/shared/errors.js';
import { newLine, newSession } from '../support/checkout.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
/** A hundred lines of at most this amount, with their tax, stay below the greatest amount. */
const GREATEST_LINE = 4_000_000_000;

/**
 * A shop knows this of an order. The order's own discount and the tax in the shipping are in no
 * line.
 */
interface Cart {
  readonly currency: string;
  readonly lineItems: readonly NewLineItem[];
  readonly shipping: number | undefined;
  readonly discount: number;
  readonly shippingTax: number;
}

const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const part = (amount: number, of: number) => Math.floor(amount * of);

const line: Arbitrary<NewLineItem> = fc
  .record({
    quantity: fc.option(fc.integer({ min: 1, max: 999_999 }), { nil: undefined }),
    price: fc.nat(GREATEST_LINE),
    discount: share,
    tax: share,
    taxBehavior: fc.constantFrom('inclusive', 'exclusive', undefined),
  })
  .map(({ quantity, price, discount, tax, taxBehavior }) => {
    const unitPrice = Math.floor(price / (quantity ?? 1));
    const subtotal = unitPrice * (quantity ?? 1);
    const amountDiscount = part(subtotal, discount);
    const amountTax = part(subtotal - amountDiscount, tax);
    return newLine({ quantity, unitPrice, taxBehavior, amountDiscount, amountTax });
  });

const cart: Arbitrary<Cart> = fc
  .record({
    currency: fc.constantFrom('usd', 'jpy', 'kwd'),
    lineItems: fc.array(line, { minLength: 1, maxLength: 20 }),
    shipping: fc.option(fc.nat(1_000_000), { nil: undefined }),
    discount: share,
    shippingTax: share,
  })
  .map(({ discount, shippingTax, ...of }) => {
    const due = Number(sumsOf(of.lineItems, of.shipping).total);
    const lineItems = of.lineItems.map((item) => ({ ...item, currency: of.currency }));
    return {
      ...of,
      lineItems,
      discount: part(due, discount),
      shippingTax: part(of.shipping ?? 0, shippingTax),
    };
  });

const subtotalOf = ({ unitPrice, quantity = 1 }: NewLineItem) =>
  BigInt(unitPrice) * BigInt(quantity);

function totalOf(item: NewLineItem): bigint {
  const { amountDiscount = 0, amountTax = 0, taxBehavior } = item;
  return (
    subtotalOf(item) -
    BigInt(amountDiscount) +
    (taxBehavior === 'exclusive' ? BigInt(amountTax) : 0n)
  );
}

function sumsOf(lineItems: readonly NewLineItem[], shipping = 0) {
  const sum = (of: (item: NewLineItem) => bigint) =>
    lineItems.reduce((total, item) => total + of(item), 0n);
  return {
    subtotal: sum(subtotalOf),
    discount: sum(({ amountDiscount = 0 }) => BigInt(amountDiscount)),
    tax: sum(({ amountTax = 0 }) => BigInt(amountTax)),
    total: sum(totalOf) + BigInt(shipping),
  };
}

/** Returns the request with every amount, all of them right. */
function requestOf({
  lineItems,
  shipping,
  discount,
  shippingTax,
  currency,
}: Cart): NewCheckoutSession {
  const sums = sumsOf(lineItems, shipping);
  const total = Number(sums.total) - discount;
  return newSession({
    currency,
    amountShipping: shipping,
    amount: total,
    amountSubtotal: Number(sums.subtotal),
    amountDiscount: Number(sums.discount) + discount,
    amountTax: Number(sums.tax) + shippingTax,
    amountTotal: total,
    lineItems: lineItems.map((item) => ({
      ...item,
      amountSubtotal: Number(subtotalOf(item)),
      amountTotal: Number(totalOf(item)),
    })),
  });
}

const open = (request: NewCheckoutSession) => CheckoutSession.open(request, 'test', NOW).state;
const PATH = /^line_items\[(\d+)\]\.(\w+)$/;
const propertyOf = (name: string) => name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());

/** Returns the request with another value, or without one, at a path as errors name it. */
function changed(
  request: NewCheckoutSession,
  path: string,
  value: number | undefined,
): NewCheckoutSession {
  const [, at, name = path] = PATH.exec(path) ?? [];
  const change = { [propertyOf(name)]: value };
  if (at === undefined) return { ...request, ...change };
  const lineItems = request.lineItems.map((item, index) =>
    index === Number(at) ? { ...item, ...change } : item,
  );
  return { ...request, lineItems };
}

const amountAt = (request: NewCheckoutSession, path: string): number => {
  const [, at, name = path] = PATH.exec(path) ?? [];
  const holder = at === undefined ? request : request.lineItems[Number(at)];
  return Number(holder?.[propertyOf(name) as keyof typeof holder] ?? 0);
};

const CLAIMS = ['amount', 'amount_subtotal', 'amount_total'];
const SENT = ['amount_discount', 'amount_tax', 'amount_shipping'];
const claimsOf = (name: string) => [`${name}.amount_subtotal`, `${name}.amount_total`];
const sentOf = (name: string) =>
  ['quantity', 'amount_discount', 'amount_tax'].map((field) => `${name}.${field}`);
const ofLines = ({ lineItems }: Cart, paths: (name: string) => readonly string[]) =>
  lineItems.flatMap((_, at) => paths(`line_items[${at}]`));

test('computes the amounts of the model, whether the caller sends them or not', () => {
  fc.assert(
    fc.property(cart, (wanted) => {
      const request = requestOf(wanted);
      const state = open(request);
      expect(state).toMatchObject({
        amountSubtotal: request.amountSubtotal,
        amountDiscount: request.amountDiscount,
        amountShipping: wanted.shipping ?? 0,
        amountTax: request.amountTax,
        amountTotal: request.amount,
        paymentStatus: request.amount === 0 ? 'no_payment_required' : 'unpaid',
      });
      const { amountTotal: _total, amountSubtotal: _subtotal, ...rest } = request;
      expect(open({ ...rest, lineItems: wanted.lineItems })).toEqual({
        ...state,
        id: expect.any(String),
      });
    }),
  );
});

test('reports all wrong sums at once with their right values, and nothing else', () => {
  const withPaths = cart.chain((wanted) =>
    fc.tuple(
      fc.constant(wanted),
      fc.subarray([...CLAIMS, ...ofLines(wanted, claimsOf)], { minLength: 1 }),
    ),
  );
  const anyDifference = fc.integer({ min: -1_000_000 }).filter((difference) => difference !== 0);
  fc.assert(
    fc.property(withPaths, anyDifference, ([wanted, paths], difference) => {
      const right = requestOf(wanted);
      const request = paths.reduce(
        (sent, path) => changed(sent, path, amountAt(right, path) + difference),
        right,
      );
      const { code, errors } = refusalOf(() => open(request));
      expect(code).toBe('invalid_param');
      const reported = errors.map((error) => [error.param, error.code, error.allowed]);
      const wrong = paths.map((param) => [
        param,
        'amount_mismatch',
        [String(amountAt(right, param))],
      ]);
      expect(reported.sort()).toEqual(wrong.sort());
    }),
  );
});

/**
 * Returns the total that the sent amounts add up to. A discount above everything leaves nothing.
 */
function saidBy({ lineItems, amountShipping, amountDiscount = 0 }: NewCheckoutSession): bigint {
  const { total, discount } = sumsOf(lineItems, amountShipping);
  const ofOrder = BigInt(amountDiscount) - discount;
  const said = total - (ofOrder > 0n ? ofOrder : 0n);
  return said > 0n ? said : 0n;
}

/** Corrects the request by `allowed` alone. It leaves out a total for which `allowed` is empty. */
function followed(request: NewCheckoutSession): number {
  let sent = request;
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return open(sent).amountTotal;
    } catch (error) {
      for (const { param, allowed } of (error as Refusal).errors) {
        if (allowed.length === 0) expect(CLAIMS).toContain(param);
        sent = changed(sent, param, allowed[0] === undefined ? undefined : Number(allowed[0]));
      }
    }
  }
  throw new Error('It went in circles.');
}

test('a caller that follows `allowed` never owes more than its own amounts say', () => {
  const wrong = fc.oneof(
    fc.constant(() => undefined),
    fc.constantFrom(-1, 1).map((by) => (amount: number) => Math.max(amount + by, 0)),
    fc.nat(GREATEST_LINE).map((other) => () => other),
  );
  const sent = cart.chain((wanted) => {
    const paths = [...CLAIMS, ...SENT, ...ofLines(wanted, claimsOf), ...ofLines(wanted, sentOf)];
    return fc.tuple(
      fc.constant(wanted),
      fc.array(fc.tuple(fc.constantFrom(...paths), wrong), { maxLength: 12 }),
    );
  });
  fc.assert(
    fc.property(sent, ([wanted, faults]) => {
      const request = faults.reduce((given, [path, wrongly]) => {
        const value = wrongly(amountAt(given, path));
        return changed(
          given,
          path,
          path.endsWith('quantity') && value !== undefined ? 1 + (value % 999_999) : value,
        );
      }, requestOf(wanted));
      fc.pre(sumsOf(request.lineItems, request.amountShipping).subtotal < 999_999_999_999n);
      expect(BigInt(followed(request))).toBeLessThanOrEqual(saidBy(request));
    }),
    { numRuns: 1_000 },
  );
});
