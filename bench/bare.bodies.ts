/** The baseline makes these bodies, and stores lines as the service does. */
import { createdAt } from '../src/shared/id.js';
import type { LineInput, SessionInput } from './bare.schemas.js';

export const DAY_SECONDS = 86_400;

export type Line = ReturnType<typeof priced>;

export function priced({ quantity = 1, price_data: price }: LineInput, currency: string) {
  const subtotal = price.unit_amount * quantity;
  return {
    product_name: price.product_data.name,
    description: price.product_data.description ?? null,
    images: [] as string[],
    tax_behavior: 'inclusive',
    quantity,
    unit_price: price.unit_amount,
    currency,
    amount_subtotal: subtotal,
    amount_discount: 0,
    amount_tax: 0,
    amount_total: subtotal,
  };
}

export function sessionOf(
  id: string,
  mode: string,
  body: SessionInput,
  lines: readonly Line[],
  total: number,
) {
  return {
    id,
    object: 'checkout.session',
    mode,
    ui_mode: 'hosted',
    status: 'open',
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    currency: body.currency,
    amount: total,
    amount_subtotal: total,
    amount_discount: 0,
    amount_shipping: 0,
    amount_tax: 0,
    amount_total: total,
    success_url: body.success_url ?? null,
    cancel_url: body.cancel_url ?? null,
    return_url: null,
    notify_url: null,
    description: null,
    customer_email: body.customer_email ?? null,
    locale: null,
    metadata: body.metadata ?? {},
    expires_at: createdAt(id) + DAY_SECONDS,
    created_at: createdAt(id),
    line_items: { object: 'list', data: lines },
  };
}

/** Stores rows as the service does, so that each server can read what the other one wrote. */
export function stored(line: Line) {
  return {
    productName: line.product_name,
    description: line.description,
    images: line.images,
    taxBehavior: line.tax_behavior,
    quantity: line.quantity,
    unitPrice: line.unit_price,
    currency: line.currency,
    amountSubtotal: line.amount_subtotal,
    amountDiscount: line.amount_discount,
    amountTax: line.amount_tax,
    amountTotal: line.amount_total,
  };
}

export function shown(line: Record<string, unknown>) {
  return {
    product_name: line.productName,
    description: line.description,
    images: line.images,
    tax_behavior: line.taxBehavior,
    quantity: line.quantity,
    unit_price: line.unitPrice,
    currency: line.currency,
    amount_subtotal: line.amountSubtotal,
    amount_discount: line.amountDiscount,
    amount_tax: line.amountTax,
    amount_total: line.amountTotal,
  };
}
