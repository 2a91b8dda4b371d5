import { invalidParams, type ParamCode, type ParamError, paramError } from '../../../shared/errors.js';
import { MAX_AMOUNT } from '../../../shared/money.js';

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

export type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };
type Given = Pick<LineItem, 'productName' | 'unitPrice' | 'currency'>;

/** A line as the caller sends it. Its subtotal and total are only compared with the computed ones. */
export type NewLineItem = Given & Optional<Omit<LineItem, keyof Given>>;

/** Collects the faults of a request, so that one response lists all of them. */
export class AmountFaults {
  private readonly errors: ParamError[] = [];

  add(param: string, code: ParamCode, message: string, allowed: readonly (string | number)[] = []): void {
    this.errors.push(paramError(param, code, `${param} ${message}.`, allowed));
  }

  confirm(param: string, claimed: number | undefined, computed: number): void {
    if (claimed === undefined || claimed === computed) return;
    this.add(param, 'amount_mismatch', `must be ${computed}`, [computed]);
  }

  throwIfAny(): void {
    if (this.errors.length > 0) throw invalidParams(this.errors);
  }
}

/** Computes the amounts of a line exactly. `at` is the line's path in the request. Throws RangeError for values that a request cannot have. */
export function priceLine(input: NewLineItem, currency: string, at: string, faults: AmountFaults): LineItem {
  const { unitPrice, quantity = DEFAULT_QUANTITY, amountDiscount = 0, amountTax = 0 } = input;
  const { taxBehavior = DEFAULT_TAX_BEHAVIOR } = input;
  if (![unitPrice, quantity, amountDiscount, amountTax].every(isAmount) || quantity < 1) {
    throw new RangeError('Prices, quantities, discounts and taxes are whole numbers.');
  }
  const amountSubtotal = unitPrice * quantity;
  const afterDiscount = amountSubtotal - amountDiscount;
  const line = {
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
    amountTotal: taxBehavior === 'inclusive' ? afterDiscount : afterDiscount + amountTax,
  };
  if (amountSubtotal > MAX_AMOUNT) {
    const most = Math.floor(MAX_AMOUNT / quantity);
    faults.add(`${at}.price_data.unit_amount`, 'too_large', `times the quantity must be at most ${MAX_AMOUNT}`, [most]);
  } else {
    faults.confirm(`${at}.amount_subtotal`, input.amountSubtotal, amountSubtotal);
    checkTotal(line, input.amountTotal, at, faults);
  }
  return line;
}

function checkTotal(line: LineItem, claimed: number | undefined, at: string, faults: AmountFaults): void {
  const { amountSubtotal, amountTax, amountTotal, taxBehavior } = line;
  const afterDiscount = amountSubtotal - line.amountDiscount;
  const tooLarge = (param: string, message: string, most: number) =>
    faults.add(`${at}.${param}`, 'too_large', message, [most]);
  if (afterDiscount < 0) {
    tooLarge('amount_discount', `must be at most the subtotal, ${amountSubtotal}`, amountSubtotal);
  } else if (taxBehavior === 'inclusive' && amountTax > afterDiscount) {
    tooLarge('amount_tax', `is inside the total, so it must be at most ${afterDiscount}`, afterDiscount);
  } else if (amountTotal > MAX_AMOUNT) {
    tooLarge('amount_tax', `must leave the total at most ${MAX_AMOUNT}`, MAX_AMOUNT - afterDiscount);
  } else {
    faults.confirm(`${at}.amount_total`, claimed, amountTotal);
  }
}

function isAmount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_AMOUNT;
}
