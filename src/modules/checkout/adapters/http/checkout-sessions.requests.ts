import { parseRange } from '../../../../platform/http/formats.js';
import { CURSOR, FROM, PageLimit, pageLimit, TO } from '../../../../platform/http/list.rules.js';
import { Metadata } from '../../../../platform/http/metadata.rule.js';
import {
  type About,
  Amount,
  Fields,
  Formatted,
  Integer,
  ListOf,
  ListOfUrls,
  OneOf,
  Text,
} from '../../../../platform/http/rules.js';
import type { CheckoutSessionFilter } from '../../application/ports.js';
import {
  DEFAULT_UI_MODE,
  type NewCheckoutSession,
  SESSION_STATUSES,
  type SessionStatus,
  UI_MODES,
  type UiMode,
} from '../../domain/checkout-session.js';
import {
  DEFAULT_QUANTITY,
  DEFAULT_TAX_BEHAVIOR,
  type NewLineItem,
  TAX_BEHAVIORS,
  type TaxBehavior,
} from '../../domain/line-item.js';

const CLAIM = { optional: true, description: 'Compared, if sent, with the amount that the service computes.' };
const NO_AMOUNT = { optional: true, defaultsTo: 0 };

class ProductData {
  @Text({ min: 1, max: 255, description: 'What is sold.' }) name!: string;
  @Text({ max: 1000, optional: true, description: 'More about it.' }) description?: string | null;
  @ListOfUrls({ max: 8, description: 'Pictures of it.', defaultsTo: [] }) images?: string[];
}

class PriceData {
  @Formatted('currency', { description: "The session's currency, once more." }) currency!: string;
  @Amount({ description: 'What one of it costs, in the minor unit of the currency.' }) unit_amount!: number;
  @OneOf(TAX_BEHAVIORS, {
    optional: true,
    defaultsTo: DEFAULT_TAX_BEHAVIOR,
    description: 'Whether the price contains the tax or the tax comes on top of it.',
  })
  tax_behavior?: TaxBehavior;
  @Fields(() => ProductData, { description: 'What is sold.' }) product_data!: ProductData;
}

class LineItemRequest {
  @Integer({ min: 1, max: 999_999, optional: true, defaultsTo: DEFAULT_QUANTITY, description: 'How many of it.' })
  quantity?: number;
  @Amount(CLAIM) amount_subtotal?: number;
  @Amount({ ...NO_AMOUNT, description: 'What is taken off the subtotal.' }) amount_discount?: number;
  @Amount({ ...NO_AMOUNT, description: 'The tax, which the caller computes.' }) amount_tax?: number;
  @Amount(CLAIM) amount_total?: number;
  @Fields(() => PriceData, { description: 'What is sold, and for how much.' }) price_data!: PriceData;
}

export class CreateCheckoutSessionRequest {
  @Formatted('currency', { description: 'ISO 4217 code of a currency with a minor unit, in any case.' })
  currency!: string;
  @Amount(CLAIM) amount?: number;
  @Amount(CLAIM) amount_subtotal?: number;
  @Amount(CLAIM) amount_discount?: number;
  @Amount({ ...NO_AMOUNT, description: 'What shipping costs.' }) amount_shipping?: number;
  @Amount(CLAIM) amount_tax?: number;
  @Amount(CLAIM) amount_total?: number;
  @ListOf(() => LineItemRequest, { min: 1, max: 100, description: 'What is sold, line by line.' })
  line_items!: LineItemRequest[];
  @OneOf(UI_MODES, {
    optional: true,
    defaultsTo: DEFAULT_UI_MODE,
    description: 'Whether the customer is sent to a page or the page is part of the shop.',
  })
  ui_mode?: UiMode;
  @Formatted('web-url', url('Where the customer goes after paying.')) success_url?: string | null;
  @Formatted('web-url', url('Where the customer goes when giving up.')) cancel_url?: string | null;
  @Formatted('web-url', url('Where the customer comes back to from an embedded page.')) return_url?: string | null;
  @Formatted('web-url', url('Where events of the session are sent as webhooks.')) notify_url?: string | null;
  @Text({ max: 1000, optional: true, description: 'What the session is about.' }) description?: string | null;
  @Formatted('addr-spec', { optional: true, description: "The customer's e-mail address." })
  customer_email?: string | null;
  @Formatted('locale', { optional: true, description: 'The language of the page: a BCP 47 tag, or `auto`.' })
  locale?: string | null;
  @Metadata({ description: 'What the caller wants to find again; the service only keeps it.', defaultsTo: {} })
  metadata?: Record<string, string>;
  /** Unix seconds, bounded like a date; how far ahead it may be is the session's own rule. */
  @Integer({
    min: 0,
    max: 99_999_999_999,
    optional: true,
    description:
      'When it stops being open, in Unix seconds: from 5 minutes to 24 hours ahead. By default 24 hours ahead.',
  })
  expires_at?: number;
}

/** Live mode never leaves TLS; test mode may stay on the developer's machine. */
function url(what: string): About {
  return { optional: true, description: `${what} An absolute https URL; in test mode also http to localhost.` };
}

export class ListCheckoutSessionsQuery {
  @PageLimit({ max: 100 }) limit?: string;
  @Formatted('cs-id', CURSOR) cursor?: string;
  @OneOf(SESSION_STATUSES, { optional: true, description: 'Only sessions that stand so.' }) status?: SessionStatus;
  @Formatted('instant', FROM) from?: string;
  @Formatted('instant', TO) to?: string;
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
