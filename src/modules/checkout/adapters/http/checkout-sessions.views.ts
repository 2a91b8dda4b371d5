import { createdAt } from '../../../../shared/id.js';
import type { CheckoutSession, CheckoutSessionSummary } from '../../domain/checkout-session.js';
import type { LineItem } from '../../domain/line-item.js';

/** Interface document 2.1: these fields, in this order, all of them always. */
export function checkoutSessionView({ facts }: CheckoutSession) {
  return {
    id: facts.id,
    object: 'checkout.session',
    mode: facts.mode,
    ui_mode: facts.uiMode,
    status: facts.status,
    payment_status: facts.paymentStatus,
    currency: facts.currency,
    amount: facts.amountTotal,
    amount_subtotal: facts.amountSubtotal,
    amount_discount: facts.amountDiscount,
    amount_shipping: facts.amountShipping,
    amount_tax: facts.amountTax,
    amount_total: facts.amountTotal,
    success_url: facts.successUrl,
    cancel_url: facts.cancelUrl,
    return_url: facts.returnUrl,
    notify_url: facts.notifyUrl,
    description: facts.description,
    customer_email: facts.customerEmail,
    locale: facts.locale,
    metadata: facts.metadata,
    expires_at: facts.expiresAt,
    created_at: createdAt(facts.id),
    line_items: { object: 'list', data: facts.lineItems.map(lineItemView) },
  };
}

/** Interface document 2.2. */
function lineItemView(line: LineItem) {
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

/** Interface document 2.3. */
export function summaryView(session: CheckoutSessionSummary) {
  return {
    id: session.id,
    mode: session.mode,
    status: session.status,
    payment_status: session.paymentStatus,
    currency: session.currency,
    amount_total: session.amountTotal,
    created_at: createdAt(session.id),
  };
}

/** The same as the ledger sees it: with whose it is, right after `object`. */
export function ledgerCheckoutSessionView(organization: string, session: CheckoutSession) {
  const { id, object, ...rest } = checkoutSessionView(session);
  return { id, object, organization, ...rest };
}
