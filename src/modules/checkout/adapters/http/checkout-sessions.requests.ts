import { parseRange } from '../../../../platform/http/formats.js';
import { PageLimit, pageLimit } from '../../../../platform/http/page-limit.rule.js';
import {
  Amount,
  Fields,
  Formatted,
  Integer,
  ListOf,
  ListOfUrls,
  Metadata,
  OneOf,
  Text,
} from '../../../../platform/http/rules.js';
import type { CheckoutSessionFilter } from '../../application/ports.js';
import {
  type NewCheckoutSession,
  SESSION_STATUSES,
  type SessionStatus,
  UI_MODES,
  type UiMode,
} from '../../domain/checkout-session.js';
import { type NewLineItem, TAX_BEHAVIORS, type TaxBehavior } from '../../domain/line-item.js';

class ProductData {
  @Text({ min: 1, max: 255 }) name!: string;
  @Text({ max: 1000, optional: true }) description?: string | null;
  @ListOfUrls({ max: 8 }) images?: string[];
}

class PriceData {
  @Formatted('currency') currency!: string;
  @Amount() unit_amount!: number;
  @OneOf(TAX_BEHAVIORS, { optional: true }) tax_behavior?: TaxBehavior;
  @Fields(() => ProductData) product_data!: ProductData;
}

class LineItemRequest {
  @Integer({ min: 1, max: 999_999, optional: true }) quantity?: number;
  @Amount({ optional: true }) amount_subtotal?: number;
  @Amount({ optional: true }) amount_discount?: number;
  @Amount({ optional: true }) amount_tax?: number;
  @Amount({ optional: true }) amount_total?: number;
  @Fields(() => PriceData) price_data!: PriceData;
}

export class CreateCheckoutSessionRequest {
  @Formatted('currency') currency!: string;
  @Amount({ optional: true }) amount?: number;
  @Amount({ optional: true }) amount_subtotal?: number;
  @Amount({ optional: true }) amount_discount?: number;
  @Amount({ optional: true }) amount_shipping?: number;
  @Amount({ optional: true }) amount_tax?: number;
  @Amount({ optional: true }) amount_total?: number;
  @ListOf(() => LineItemRequest, { min: 1, max: 100 }) line_items!: LineItemRequest[];
  @OneOf(UI_MODES, { optional: true }) ui_mode?: UiMode;
  @Formatted('web-url', { optional: true }) success_url?: string | null;
  @Formatted('web-url', { optional: true }) cancel_url?: string | null;
  @Formatted('web-url', { optional: true }) return_url?: string | null;
  @Formatted('web-url', { optional: true }) notify_url?: string | null;
  @Text({ max: 1000, optional: true }) description?: string | null;
  @Formatted('addr-spec', { optional: true }) customer_email?: string | null;
  @Formatted('locale', { optional: true }) locale?: string | null;
  @Metadata() metadata?: Record<string, string>;
  /** Unix seconds, bounded like a date; how far ahead it may be is the session's own rule. */
  @Integer({ min: 0, max: 99_999_999_999, optional: true }) expires_at?: number;
}

export class ListCheckoutSessionsQuery {
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('cs-id', { optional: true }) cursor?: string;
  @OneOf(SESSION_STATUSES, { optional: true }) status?: SessionStatus;
  @Formatted('instant', { optional: true }) from?: string;
  @Formatted('instant', { optional: true }) to?: string;
}

export function toNewSession(body: CreateCheckoutSessionRequest): NewCheckoutSession {
  return {
    uiMode: body.ui_mode,
    currency: body.currency,
    amount: body.amount,
    amountSubtotal: body.amount_subtotal,
    amountDiscount: body.amount_discount,
    amountShipping: body.amount_shipping,
    amountTax: body.amount_tax,
    amountTotal: body.amount_total,
    successUrl: body.success_url ?? null,
    cancelUrl: body.cancel_url ?? null,
    returnUrl: body.return_url ?? null,
    notifyUrl: body.notify_url ?? null,
    description: body.description ?? null,
    customerEmail: body.customer_email ?? null,
    locale: body.locale ?? null,
    metadata: body.metadata ?? {},
    expiresAt: body.expires_at,
    lineItems: body.line_items.map(toNewLineItem),
  };
}

function toNewLineItem({ price_data: price, ...line }: LineItemRequest): NewLineItem {
  return {
    productName: price.product_data.name,
    description: price.product_data.description,
    images: price.product_data.images,
    taxBehavior: price.tax_behavior,
    quantity: line.quantity,
    unitPrice: price.unit_amount,
    currency: price.currency,
    amountSubtotal: line.amount_subtotal,
    amountDiscount: line.amount_discount,
    amountTax: line.amount_tax,
    amountTotal: line.amount_total,
  };
}

/** Throws an invalid_param refusal when the range is upside down. */
export function toFilter(query: ListCheckoutSessionsQuery): CheckoutSessionFilter {
  const { status, cursor, limit } = query;
  return { ...parseRange(query), status, cursor, limit: pageLimit(limit) };
}
