import {
  Amount,
  Currency,
  Email,
  type FieldOptions,
  Fields,
  Id,
  Instant,
  Integer,
  ListOf,
  ListOfUrls,
  Locale,
  Metadata,
  OneOf,
  Text,
  Time,
  WebhookUrl,
  WebUrl,
} from '../../../../request/validation/fields.js';
import { Owner } from '../../../../request/validation/ledger-request.js';
import { CURSOR, FROM, PageLimit, TO } from '../../../../request/validation/list.query.js';
import {
  CHECKOUT_SESSION_ID,
  SESSION_STATUSES,
  type SessionStatus,
} from '../../domain/checkout-session.js';
import {
  DEFAULT_QUANTITY,
  DEFAULT_TAX_BEHAVIOR,
  type NewLineItem,
  TAX_BEHAVIORS,
  type TaxBehavior,
} from '../../domain/line-item.js';
import {
  DEFAULT_UI_MODE,
  type NewCheckoutSession,
  UI_MODES,
  type UiMode,
} from '../../domain/session-terms.js';

const computed = (name: string): FieldOptions => ({
  optional: true,
  description:
    `${name}. Optional: Tillgate computes it, and refuses the request ` +
    'if you send another amount.',
});
const given = (description: string): FieldOptions => ({ optional: true, default: 0, description });
const ofOrder = (sum: string, rest: string): FieldOptions => ({
  optional: true,
  description:
    `Sum of the ${sum} (default), or more: the rest ${rest}. Then \`amount_total\` or \`amount\` ` +
    'is required.',
});

class ProductData {
  @Text({ min: 1, max: 255, description: 'Name of the product.' }) name!: string;
  @Text({ max: 1000, optional: true, description: 'Description of the product.' })
  description?: string | null;
  @ListOfUrls({ max: 8, optional: true, default: [], description: 'Image URLs of the product.' })
  images?: string[];
}

class PriceData {
  @Currency({ description: 'Currency of the price. It must be the currency of the session.' })
  currency!: string;
  @Amount({ description: 'Price of one item, in the minor unit of the currency.' })
  unit_amount!: number;
  @OneOf(TAX_BEHAVIORS, {
    optional: true,
    default: DEFAULT_TAX_BEHAVIOR,
    description:
      'Whether the price includes tax (`inclusive`) or tax is added to it (`exclusive`).',
  })
  tax_behavior?: TaxBehavior;
  @Fields(() => ProductData, { description: 'The product that is sold.' })
  product_data!: ProductData;
}

class LineItemRequest {
  @Integer({
    min: 1,
    max: 999_999,
    optional: true,
    default: DEFAULT_QUANTITY,
    description: 'Quantity of the item.',
  })
  quantity?: number;
  @Amount(computed('Unit price times quantity')) amount_subtotal?: number;
  @Amount(given('Discount on the line, subtracted from its subtotal.')) amount_discount?: number;
  @Amount(given('Tax on the line, as you computed it.')) amount_tax?: number;
  @Amount(computed('Total of the line')) amount_total?: number;
  @Fields(() => PriceData, { description: 'The price of the item and what is sold for it.' })
  price_data!: PriceData;
}

export class CreateCheckoutSessionRequest {
  @Currency({
    description: 'ISO 4217 code of a currency with a minor unit, in upper or lower case.',
  })
  currency!: string;
  @Amount(computed('Total of the session')) amount?: number;
  @Amount(computed('Sum of the subtotals of the lines')) amount_subtotal?: number;
  @Amount(
    ofOrder(
      'discounts of the lines',
      'is a discount on the order, which lowers its total, at most to 0',
    ),
  )
  amount_discount?: number;
  @Amount(given('Cost of shipping.')) amount_shipping?: number;
  @Amount(
    ofOrder('taxes of the lines', 'is tax that the shipping contains, at most `amount_shipping`'),
  )
  amount_tax?: number;
  @Amount(computed('Total of the session')) amount_total?: number;
  @ListOf(() => LineItemRequest, {
    min: 1,
    max: 100,
    description: 'The items that the customer pays for.',
  })
  line_items!: LineItemRequest[];
  @OneOf(UI_MODES, {
    optional: true,
    default: DEFAULT_UI_MODE,
    description:
      'Whether the customer pays on a separate page (`hosted`) or on a page inside your shop ' +
      '(`embedded`).',
  })
  ui_mode?: UiMode;
  @WebUrl(url('Where the customer is sent after paying.')) success_url?: string | null;
  @WebUrl(url('Where the customer is sent after canceling.')) cancel_url?: string | null;
  @WebUrl(url('Where the customer returns to from an embedded page.')) return_url?: string | null;
  @WebhookUrl({
    optional: true,
    description:
      'URL to which events of the session, its payments and its refunds are sent as webhooks. ' +
      'An absolute https URL (in test mode also http to localhost, ' +
      'or to any host if the operator allows it) without user information. Its port is 80, ' +
      '443, or one from 1024 up.',
  })
  notify_url?: string | null;
  @Text({ max: 1000, optional: true, description: 'Description of the session.' })
  description?: string | null;
  @Email({ optional: true, description: 'E-mail address of the customer.' })
  customer_email?: string | null;
  @Locale({ optional: true, description: 'Language of the page: a BCP 47 tag, or `auto`.' })
  locale?: string | null;
  @Metadata({
    optional: true,
    default: {},
    description:
      'Your own key-value pairs. `?reference=` of the list finds sessions by `reference`, your ' +
      'number of the order.',
  })
  metadata?: Record<string, string>;
  /** These bounds only make the number a date. The domain checks how far ahead it is. */
  @Time({
    max: 99_999_999_999,
    optional: true,
    description:
      'When the session expires, in Unix seconds: 5 minutes to 24 hours from now. Default: in ' +
      '24 hours.',
  })
  expires_at?: number;
}

function url(what: string): FieldOptions {
  const secure = 'An absolute https URL; in test mode also http to localhost.';
  const filled =
    'Tillgate replaces `{CHECKOUT_SESSION_ID}` after its host. ' +
    'Other braces must be percent-encoded, and not around a name.';
  return { optional: true, description: `${what} ${secure} ${filled}` };
}

export class AwaitTestPaymentRequest {
  @Time({
    max: 99_999_999_999,
    nullable: true,
    description:
      'Until when to wait for the money, in Unix seconds, at most 30 days from now: the new ' +
      '`expires_at` of the session. With null, the ' +
      'session expires when it would have expired before, at least 5 minutes from now.',
  })
  until!: number | null;
  @Text({
    max: 500,
    optional: true,
    description: 'What is on its way, for the `reason` of the event.',
  })
  reason?: string | null;
}

export class AwaitPaymentRequest extends AwaitTestPaymentRequest {
  @Owner() organization?: string | null;
}

export class ListCheckoutSessionsQuery {
  @PageLimit() limit?: string;
  @Id(CHECKOUT_SESSION_ID, CURSOR) cursor?: string;
  @OneOf(SESSION_STATUSES, { optional: true, description: 'Only sessions with this status.' })
  status?: SessionStatus;
  @Text({
    min: 1,
    max: 500,
    optional: true,
    description: 'Only sessions whose `metadata.reference` is exactly this.',
  })
  reference?: string;
  @Instant(FROM) from?: string;
  @Instant(TO) to?: string;
}

export function toNewSession(body: CreateCheckoutSessionRequest): Required<NewCheckoutSession> {
  return {
    uiMode: body.ui_mode,
    currency: body.currency,
    amount: body.amount,
    amountSubtotal: body.amount_subtotal,
    amountDiscount: body.amount_discount,
    amountShipping: body.amount_shipping,
    amountTax: body.amount_tax,
    amountTotal: body.amount_total,
    details: {
      successUrl: body.success_url ?? null,
      cancelUrl: body.cancel_url ?? null,
      returnUrl: body.return_url ?? null,
      notifyUrl: body.notify_url ?? null,
      description: body.description ?? null,
      customerEmail: body.customer_email ?? null,
    },
    locale: body.locale,
    metadata: body.metadata,
    expiresAt: body.expires_at,
    lineItems: body.line_items.map(toNewLineItem),
  };
}

function toNewLineItem(line: LineItemRequest): Required<NewLineItem> {
  const { price_data: price } = line;
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
