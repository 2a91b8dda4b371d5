/**
 * Tillgate does this part of a shop that speaks UCP (2026-04-08): it completes a checkout, hands it
 * to a person, and tells of refunds.
 */
import type { CheckoutSession, Refund, Tillgate, TillgateLedger } from '../client/src/index.js';

/** The platform keeps the checkout. Its own catalogue has set the prices, not the agent. */
export interface Checkout {
  readonly id: string;
  readonly order: string;
  readonly currency: string;
  readonly lines: readonly {
    readonly title: string;
    readonly price: number;
    readonly quantity: number;
  }[];
  readonly shipping: number;
  readonly total: number;
}

/** Charges the agent's instrument at the payment provider, once for each idempotency key. */
export type Charge = (payment: {
  readonly amount: number;
  readonly currency: string;
  readonly instrument: unknown;
  readonly idempotencyKey: string;
}) => Promise<{ readonly id: string; readonly isPaid: boolean }>;

export interface Platform {
  readonly tillgate: Tillgate;
  readonly ledger: TillgateLedger;
  readonly organization: string;
  readonly charge: Charge;
  readonly orderUrl: (order: string) => string;
}

/**
 * Answers `POST /checkout-sessions/{id}/complete`. It uses the `Idempotency-Key` of the agent, so
 * that an agent that repeats the request pays once.
 */
export async function complete(
  { tillgate, ledger, organization, charge, orderUrl }: Platform,
  checkout: Checkout,
  { instrument, idempotencyKey }: { instrument: unknown; idempotencyKey: string },
) {
  const session = await sessionOf(tillgate, checkout, idempotencyKey);
  const { id: checkout_session, amount_total: amount, currency } = session;
  const { id: reference, isPaid } = await charge({ amount, currency, instrument, idempotencyKey });
  if (!isPaid) {
    await tillgate.checkoutSessions.expire(session.id, { idempotencyKey });
    return { ...shown(checkout, session), status: 'incomplete', messages: [DECLINED] };
  }
  // The charge is recorded even if the session has expired meanwhile.
  const payment = { organization, amount, currency, checkout_session, reference };
  await ledger.payments.record({ ...payment, on_mismatch: 'record' }, { idempotencyKey });
  const order = { id: checkout.order, permalink_url: orderUrl(checkout.order) };
  return { ...shown(checkout, session), status: 'completed', order };
}

/** An agent that has nothing to charge sends its person to the page of the session. */
export async function handOff(
  { tillgate }: Platform,
  checkout: Checkout,
  { idempotencyKey }: { idempotencyKey: string },
) {
  const session = await sessionOf(tillgate, checkout, idempotencyKey);
  const { url } = await tillgate.checkoutSessions.page(session.id);
  const expires_at = instant(session.expires_at);
  const status = 'requires_escalation';
  return {
    ...shown(checkout, session),
    status,
    continue_url: url,
    expires_at,
    messages: [PAY_THERE],
  };
}

/** Reads all `adjustments` of an order at each `refund.*` event, because each message has all. */
export async function adjustmentsOf({ tillgate }: Platform, payment: string) {
  const adjustments = [];
  for await (const refund of tillgate.refunds.list({ payment })) adjustments.push(adjusted(refund));
  return adjustments.reverse();
}

function sessionOf(tillgate: Tillgate, checkout: Checkout, idempotencyKey: string) {
  const { currency, shipping: amount_shipping, total: amount_total } = checkout;
  const line_items = checkout.lines.map(({ title: name, price: unit_amount, quantity }) => ({
    quantity,
    price_data: { currency, unit_amount, product_data: { name } },
  }));
  const metadata = { reference: checkout.order, ucp_checkout: checkout.id };
  const session = { currency, line_items, amount_shipping, amount_total, metadata };
  return tillgate.checkoutSessions.create(session, { idempotencyKey });
}

/** Shows the checkout. The platform adds `ucp` and `links`. */
function shown({ id, lines }: Checkout, session: CheckoutSession) {
  const { currency, amount_subtotal, amount_shipping, amount_total } = session;
  const line_items = lines.map(({ title, price, quantity }, place) => ({
    id: `line_${place + 1}`,
    item: { id: title, title, price },
    quantity,
    totals: [{ type: 'subtotal', amount: price * quantity }],
  }));
  const totals = [
    { type: 'subtotal', amount: amount_subtotal },
    { type: 'fulfillment', amount: amount_shipping },
    { type: 'total', amount: amount_total },
  ];
  return { id, currency: currency.toUpperCase(), line_items, totals };
}

const STATUS = {
  pending: 'pending',
  succeeded: 'completed',
  failed: 'failed',
  canceled: 'failed',
} as const;

function adjusted({ id, created, status, amount }: Refund) {
  const totals = [{ type: 'total', amount: -amount }];
  return { id, type: 'refund', occurred_at: instant(created), status: STATUS[status], totals };
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString();

const DECLINED = {
  type: 'error',
  code: 'payment_declined',
  severity: 'recoverable',
  content: 'The payment was declined. Try another instrument.',
};
const PAY_THERE = {
  type: 'error',
  code: 'payment_on_page',
  severity: 'requires_buyer_input',
  content: 'Open the page to pay.',
};
