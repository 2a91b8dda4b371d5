import { MAX_AMOUNT } from '../../../shared/money.js';
import type { AmountFaults } from './amounts.js';

export const TAX_BEHAVIORS = ['inclusive', 'exclusive'] as const;
export type TaxBehavior = (typeof TAX_BEHAVIORS)[number];
export const DEFAULT_TAX_BEHAVIOR: TaxBehavior = 'inclusive';
export const DEFAULT_QUANTITY = 1;

/** One line of a session. All amounts are in the minor unit of the session's currency. */
export interface LineItem {
  readonly productName: string;
  readonly description: string | null;
  readonly images: readonly string[];
  readonly taxBehavior: TaxBehavior;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly currency: string;
  readonly amountSubtotal: number;
  readonly amountDiscount: number;
  readonly amountTax: number;
  readonly amountTotal: number;
}

/** A line as the caller sends it. Its subtotal and total are only compared with the computed ones. */
export interface NewLineItem {
  readonly productName: string;
  readonly description?: string | null | undefined;
  readonly images?: readonly string[] | undefined;
  readonly taxBehavior?: TaxBehavior | undefined;
  readonly quantity?: number | undefined;
  readonly unitPrice: number;
  readonly currency: string;
  readonly amountSubtotal?: number | undefined;
  readonly amountDiscount?: number | undefined;
  readonly amountTax?: number | undefined;
  readonly amountTotal?: number | undefined;
}

/** Computes the amounts of a line exactly. `at` is the line's path in the request. Throws RangeError for values that a request cannot have. */
export function priceLine(input: NewLineItem, currency: string, at: string, faults: AmountFaults): LineItem {
  const { unitPrice, quantity = DEFAULT_QUANTITY, amountDiscount = 0, amountTax = 0 } = input;
  const { taxBehavior = DEFAULT_TAX_BEHAVIOR } = input;
  if (
    !isAmount(unitPrice) ||
    !isAmount(quantity) ||
    quantity < 1 ||
    !isAmount(amountDiscount) ||
    !isAmount(amountTax)
  ) {
    throw new RangeError('Prices, quantities, discounts and taxes are whole numbers.');
  }
  const amountSubtotal = unitPrice * quantity;
  const afterDiscount = amountSubtotal - amountDiscount;
  const amountTotal = taxBehavior === 'inclusive' ? afterDiscount : afterDiscount + amountTax;
  if (amountSubtotal > MAX_AMOUNT) {
    const most = Math.floor(MAX_AMOUNT / quantity);
    faults.add(`${at}.price_data.unit_amount`, 'too_large', `times the quantity must be at most ${MAX_AMOUNT}`, [most]);
  } else {
    faults.confirm(`${at}.amount_subtotal`, input.amountSubtotal, amountSubtotal);
    checkTotal(input, { at, amountSubtotal, afterDiscount, amountTax, amountTotal, taxBehavior }, faults);
  }
  return {
    productName: input.productName,
    description: input.description ?? null,
    images: input.images ?? [],
    taxBehavior,
    quantity,
    unitPrice,
    currency,
    amountSubtotal,
    amountDiscount,
    amountTax,
    amountTotal,
  };
}

interface Priced {
  readonly at: string;
  readonly amountSubtotal: number;
  readonly afterDiscount: number;
  readonly amountTax: number;
  readonly amountTotal: number;
  readonly taxBehavior: TaxBehavior;
}

function checkTotal(claimed: NewLineItem, line: Priced, faults: AmountFaults): void {
  const { at, amountSubtotal, afterDiscount, amountTax, amountTotal, taxBehavior } = line;
  if (afterDiscount < 0) {
    faults.add(`${at}.amount_discount`, 'too_large', `must be at most the subtotal, ${amountSubtotal}`, [
      amountSubtotal,
    ]);
  } else if (taxBehavior === 'inclusive' && amountTax > afterDiscount) {
    faults.add(`${at}.amount_tax`, 'too_large', `is inside the total, so it must be at most ${afterDiscount}`, [
      afterDiscount,
    ]);
  } else if (amountTotal > MAX_AMOUNT) {
    faults.add(`${at}.amount_tax`, 'too_large', `must leave the total at most ${MAX_AMOUNT}`, [
      MAX_AMOUNT - afterDiscount,
    ]);
  } else {
    faults.confirm(`${at}.amount_total`, claimed.amountTotal, amountTotal);
  }
}

function isAmount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_AMOUNT;
}
