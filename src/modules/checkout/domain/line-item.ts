import {
  invalidParams,
  type ParamCode,
  type ParamError,
  paramError,
} from '../../../shared/errors.js';
import { MAX_AMOUNT } from '../../../shared/money.js';

export const TAX_BEHAVIORS = ['inclusive', 'exclusive'] as const;
export type TaxBehavior = (typeof TAX_BEHAVIORS)[number];
export const DEFAULT_TAX_BEHAVIOR: TaxBehavior = 'inclusive';
export const DEFAULT_QUANTITY = 1;

/** This is one line of a session. All amounts are in the minor unit of the session's currency. */
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

export type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };
type Given = Pick<LineItem, 'productName' | 'unitPrice' | 'currency'>;

/**
 * This is a line as the caller sends it. Its subtotal and total are only compared with the computed
 * ones.
 */
export type NewLineItem = Given & Optional<Omit<LineItem, keyof Given>>;

/** Collects the faults of a request, so that one response lists all of them. */
export class AmountFaults {
  private readonly errors: ParamError[] = [];

  add(
    param: string,
    code: ParamCode,
    message: string,
    allowed: readonly (string | number)[] = [],
  ): void {
    this.errors.push(paramError(param, code, `${param} ${message}.`, allowed));
  }

  confirm(param: string, claimed: number | undefined, computed: number): void {
    if (claimed === undefined || claimed === computed) return;
    this.add(param, 'amount_mismatch', `must be ${computed}`, [computed]);
  }

  /**
   * Returns the amount. An amount above `most` is a fault, and counts as `most`, so that all
   * allowed values of the response fit together.
   */
  limit(param: string, amount: number, most: number, message: string): number {
    if (amount <= most) return amount;
    this.add(param, 'too_large', message, [most]);
    return most;
  }

  throwIfAny(): void {
    if (this.errors.length > 0) throw invalidParams(this.errors);
  }
}

/**
 * Computes the amounts of a line exactly. `at` is the line's path in the request. Throws RangeError
 * for values that a request cannot have.
 */
export function priceLine(
  input: NewLineItem,
  currency: string,
  at: string,
  faults: AmountFaults,
): LineItem {
  const { unitPrice, quantity = DEFAULT_QUANTITY, amountDiscount = 0, amountTax = 0 } = input;
  const { taxBehavior = DEFAULT_TAX_BEHAVIOR } = input;
  if (![unitPrice, quantity, amountDiscount, amountTax].every(isAmount) || quantity < 1) {
    throw new RangeError('Prices, quantities, discounts and taxes are whole numbers.');
  }
  const subtotal = unitPrice * quantity;
  const most = `must be at most the subtotal, ${subtotal}`;
  const discount = faults.limit(`${at}.amount_discount`, amountDiscount, subtotal, most);
  const rest = subtotal - discount;
  const isInside = taxBehavior === 'inclusive';
  const inside = `is inside the total, so it must be at most ${rest}`;
  const tax = isInside ? faults.limit(`${at}.amount_tax`, amountTax, rest, inside) : amountTax;
  const total = isInside ? rest : rest + tax;
  confirmAmounts({ input, quantity, subtotal, rest, tax, total }, at, faults);
  return {
    productName: input.productName,
    description: input.description ?? null,
    images: input.images ?? [],
    taxBehavior,
    quantity,
    unitPrice,
    currency,
    amountSubtotal: subtotal,
    amountDiscount: discount,
    amountTax: tax,
    amountTotal: total,
  };
}

interface ComputedLine {
  readonly input: NewLineItem;
  readonly quantity: number;
  readonly subtotal: number;
  /** This is the subtotal without the discount. */
  readonly rest: number;
  readonly tax: number;
  readonly total: number;
}

/** Finds the amounts that are too large, or else compares the amounts that the caller sent. */
function confirmAmounts(line: ComputedLine, at: string, faults: AmountFaults): void {
  const { input, quantity, subtotal, rest, tax, total } = line;
  if (subtotal > MAX_AMOUNT) {
    const most = Math.floor(MAX_AMOUNT / quantity);
    const message = `times the quantity must be at most ${MAX_AMOUNT}`;
    faults.limit(`${at}.price_data.unit_amount`, input.unitPrice, most, message);
    return;
  }
  faults.confirm(`${at}.amount_subtotal`, input.amountSubtotal, subtotal);
  if (total > MAX_AMOUNT) {
    const message = `must leave the total at most ${MAX_AMOUNT}`;
    faults.limit(`${at}.amount_tax`, tax, MAX_AMOUNT - rest, message);
    return;
  }
  faults.confirm(`${at}.amount_total`, input.amountTotal, total);
}

function isAmount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_AMOUNT;
}
