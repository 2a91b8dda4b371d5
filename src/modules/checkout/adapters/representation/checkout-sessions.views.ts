import { listOf } from '../../../../platform/http/list.view.js';
import {
  amount,
  asOwned,
  CURRENCY,
  constant,
  id,
  integer,
  list,
  MODE,
  map,
  object,
  oneMeaning,
  orNull,
  text,
  timestamp,
  type ValueOf,
} from '../../../../platform/http/schema.js';
import { createdAt } from '../../../../shared/id.js';
import {
  CHECKOUT_SESSION_ID,
  type CheckoutSession,
  type CheckoutSessionSummary,
  type PaymentStatus,
  type SessionStatus,
  type UiMode,
} from '../../domain/checkout-session.js';
import type { LineItem, TaxBehavior } from '../../domain/line-item.js';

const STATUS = oneMeaning<SessionStatus>(
  {
    open: 'it can be paid until `expires_at`',
    complete: 'a payment was captured for it; final',
    expired: 'its time ran out, or the caller ended it; final',
  },
  'Where the session stands.',
);
const PAYMENT_STATUS = oneMeaning<PaymentStatus>(
  {
    unpaid: 'nothing was captured for it yet',
    paid: 'its total was captured',
    no_payment_required: 'its total is 0',
  },
  'Where its payment stands.',
);
const UI_MODE = oneMeaning<UiMode>(
  { hosted: 'the customer is sent to a page', embedded: 'the page is part of the shop' },
  'How the customer meets the checkout.',
);
const TAX_BEHAVIOR = oneMeaning<TaxBehavior>(
  { inclusive: 'the price contains the tax', exclusive: 'the tax comes on top of the price' },
  'How the price and its tax go together.',
);

const LINE_ITEM = object(
  {
    product_name: text('What is sold.'),
    description: orNull(text('More about it.')),
    images: list(text('The URL of a picture.'), 'Pictures of it.'),
    tax_behavior: TAX_BEHAVIOR,
    quantity: integer('How many of it.', { minimum: 1, examples: [1] }),
    unit_price: amount('What one of it costs.'),
    currency: CURRENCY,
    amount_subtotal: amount('`unit_price` times `quantity`.'),
    amount_discount: amount('What is taken off the subtotal.', 0),
    amount_tax: amount('The tax: inside the total when it is inclusive, on top of it when it is exclusive.', 0),
    amount_total: amount('What the line comes to.'),
  },
  { name: 'LineItem' },
);

const FIELDS = {
  id: id(CHECKOUT_SESSION_ID, 'The identifier of the session.'),
  object: constant('checkout.session', 'What this is.'),
  mode: MODE,
  ui_mode: UI_MODE,
  status: STATUS,
  payment_status: PAYMENT_STATUS,
  currency: CURRENCY,
  amount: amount('What the customer is asked to pay: the same as `amount_total`.'),
  amount_subtotal: amount("The sum of the lines' subtotals."),
  amount_discount: amount("The sum of the lines' discounts.", 0),
  amount_shipping: amount('What shipping costs.', 0),
  amount_tax: amount("The sum of the lines' taxes.", 0),
  amount_total: amount("The sum of the lines' totals and the shipping."),
  success_url: orNull(text('Where the customer goes after paying.')),
  cancel_url: orNull(text('Where the customer goes when giving up.')),
  return_url: orNull(text('Where the customer comes back to from an embedded page.')),
  notify_url: orNull(text('Where events of this session, and of the refunds of its payment, are sent as webhooks.')),
  description: orNull(text('What the session is about.')),
  customer_email: orNull(text("The customer's e-mail address.")),
  locale: orNull(text('The language of the page: a BCP 47 tag in canonical form, or `auto`.')),
  metadata: map('What the caller wants to find again; the service only keeps it.'),
  expires_at: timestamp('When it stops being open if nobody pays, in Unix seconds.'),
  created_at: timestamp('When it was created, in Unix seconds.'),
  line_items: object({
    object: constant('list', 'What this is.'),
    data: list(LINE_ITEM, 'The lines, in the order they came in.'),
  }),
};

export const CHECKOUT_SESSION = object(FIELDS, {
  name: 'CheckoutSession',
  description: 'What a customer is asked to pay, line by line.',
});

/** The same as the ledger sees it: with whose it is, right after `object`. */
export const LEDGER_CHECKOUT_SESSION = object(asOwned(FIELDS), {
  name: 'LedgerCheckoutSession',
  description: 'A checkout session as the ledger sees it, with whose it is.',
});

const SUMMARY = object(
  {
    id: FIELDS.id,
    mode: FIELDS.mode,
    status: FIELDS.status,
    payment_status: FIELDS.payment_status,
    currency: FIELDS.currency,
    amount_total: FIELDS.amount_total,
    created_at: FIELDS.created_at,
  },
  { name: 'CheckoutSessionSummary', description: 'A checkout session in a list.' },
);

export const CHECKOUT_SESSION_LIST = listOf('CheckoutSessionList', SUMMARY);

export function checkoutSessionView({ state }: CheckoutSession): ValueOf<typeof CHECKOUT_SESSION> {
  return {
    id: state.id,
    object: 'checkout.session',
    mode: state.mode,
    ui_mode: state.uiMode,
    status: state.status,
    payment_status: state.paymentStatus,
    currency: state.currency,
    amount: state.amountTotal,
    amount_subtotal: state.amountSubtotal,
    amount_discount: state.amountDiscount,
    amount_shipping: state.amountShipping,
    amount_tax: state.amountTax,
    amount_total: state.amountTotal,
    success_url: state.successUrl,
    cancel_url: state.cancelUrl,
    return_url: state.returnUrl,
    notify_url: state.notifyUrl,
    description: state.description,
    customer_email: state.customerEmail,
    locale: state.locale,
    metadata: state.metadata,
    expires_at: state.expiresAt,
    created_at: createdAt(state.id),
    line_items: { object: 'list', data: state.lineItems.map(lineItemView) },
  };
}

const rendered = new WeakMap<CheckoutSession, string>();

/** The text of an answer and of its event, rendered once: a session may have a hundred lines. */
export function checkoutSessionJson(session: CheckoutSession): string {
  const json = rendered.get(session) ?? JSON.stringify(checkoutSessionView(session));
  rendered.set(session, json);
  return json;
}

function lineItemView(line: LineItem): ValueOf<typeof LINE_ITEM> {
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

export function summaryView(session: CheckoutSessionSummary): ValueOf<typeof SUMMARY> {
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

export function ledgerCheckoutSessionView(
  organization: string,
  session: CheckoutSession,
): ValueOf<typeof LEDGER_CHECKOUT_SESSION> {
  const { id, object, ...rest } = checkoutSessionView(session);
  return { id, object, organization, ...rest };
}
