/** What moves money at Stripe, and what Tillgate is told of it. */
import Stripe from 'stripe';
import { TillgateLedger } from '../../client/src/index.js';
import * as kit from '../../client/src/ledger/index.js';
import { fromStripe, toStripe } from './amounts.js';

const { TILLGATE_URL = '', TILLGATE_LEDGER_KEY = '', PUBLIC_URL = TILLGATE_URL } = process.env;
/** STRIPE_MOCK_PORT is the port of a stub of Stripe on this machine. */
const { STRIPE_SECRET_KEY = '', STRIPE_MOCK_PORT: port } = process.env;
const TIMEOUT_MS = 10_000;
/** Stripe's codes for a refund that it will never pay. Other refusals need a person. */
const NEVER_PAID = ['charge_already_refunded', 'charge_disputed', 'charge_not_refundable', 'refund_disputed_payment'];
/** Nothing was paid, and nothing will be before a person has changed something. */
const REFUSED = [400, 401, 402, 403, 404];
const NO_LONGER_MOVING = ['failed', 'canceled'];

const isLive = [TILLGATE_LEDGER_KEY, STRIPE_SECRET_KEY].map((key) => key.includes('_live_'));
if (isLive[0] !== isLive[1]) throw new Error('One key is of live mode, and the other is not.');

export const tillgate = new TillgateLedger({ baseUrl: TILLGATE_URL, key: TILLGATE_LEDGER_KEY });
export const stripe = new Stripe(STRIPE_SECRET_KEY, {
  timeout: TIMEOUT_MS,
  ...(port ? { protocol: 'http', host: '127.0.0.1', port } : {}),
});

/** The address of Stripe's page for a session, the same one however often Pay is pressed. */
export async function startPayment(query: URLSearchParams): Promise<string> {
  const [id, back, cancel] = ['session', 'return', 'cancel'].map((name) => query.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  // Anyone can write such a URL: it must not lead elsewhere.
  if (!back.startsWith(`${PUBLIC_URL}/c/`) || !cancel.startsWith(`${PUBLIC_URL}/c/`)) throw new Error('Not a page.');
  const { status, organization, currency, ...session } = await tillgate.checkoutSessions.retrieve(id);
  if (status !== 'open') return back;
  const unit_amount = toStripe(session.amount_total, currency);
  if (unit_amount === undefined) throw new Error(`${id}: ${refusalOf(currency)}`);
  const product_data = { name: session.description ?? 'Your order' };
  const page = await stripe.checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: id,
      metadata: { organization },
      line_items: [{ quantity: 1, price_data: { currency, unit_amount, product_data } }],
      // The customer pays what the page of Tillgate shows, in no other currency.
      adaptive_pricing: { enabled: false },
      success_url: back,
      cancel_url: cancel,
    },
    { idempotencyKey: id },
  );
  return page.url ?? back;
}

/** With a reference nothing is recorded twice. What was captured is recorded even if the session has expired. */
export async function recordPayment(paid: Stripe.Checkout.Session): Promise<void> {
  const { payment_status, payment_intent, amount_total, currency } = paid;
  const organization = paid.metadata?.organization;
  if (payment_status !== 'paid' || !organization || !payment_intent || !amount_total || !currency) return;
  const reference = idOf(payment_intent);
  const amount = fromStripe(amount_total, currency);
  const checkout_session = paid.client_reference_id;
  await tillgate.payments.record(
    { organization, checkout_session, amount, currency, reference, on_mismatch: 'record' },
    { idempotencyKey: reference },
  );
}

export async function pay(refund: kit.ClaimedRefund): Promise<kit.PayOutcome> {
  const { id, amount: asked, currency } = refund;
  const payment_intent = await paymentIntentOf(refund);
  const amount = toStripe(asked, currency);
  if (!payment_intent) return kit.stuck(`${refund.payment} was not paid at Stripe.`);
  if (amount === undefined) return kit.failed(refusalOf(currency));
  try {
    const options = { idempotencyKey: id };
    return outcomeOf(await stripe.refunds.create({ payment_intent, amount, metadata: { refund: id } }, options));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { code = '', statusCode = 0, message } = error;
    if (NEVER_PAID.includes(code)) return kit.failed(message);
    if (REFUSED.includes(statusCode)) return kit.stuck(message);
    // The package repeats what got no answer, so even "too many requests" may come after a payout.
    throw error;
  }
}

export async function find(refund: kit.LedgerRefund): Promise<kit.FindOutcome> {
  const payment_intent = await paymentIntentOf(refund);
  if (!payment_intent) return kit.stuck(`${refund.payment} was not paid at Stripe.`);
  const payouts: Stripe.Refund[] = [];
  for await (const payout of stripe.refunds.list({ payment_intent, limit: 100 })) {
    if (payout.metadata?.refund === refund.id) payouts.push(payout);
  }
  const decisive = payouts.find(({ status }) => !NO_LONGER_MOVING.includes(status ?? '')) ?? payouts[0];
  return decisive ? outcomeOf(decisive) : kit.notThere();
}

/**
 * Holds what is disputed, as far as it is left, until the bank decides for the merchant. Events come in any order, so Stripe is
 * asked how the dispute stands.
 */
export async function followDispute(id: string): Promise<void> {
  const { payment_intent, status, amount, currency, reason } = await stripe.disputes.retrieve(id);
  // An inquiry takes no money.
  if (!payment_intent || status.startsWith('warning_')) return;
  for await (const payment of tillgate.payments.list({ reference: idOf(payment_intent) })) {
    const { organization } = payment;
    let missing = fromStripe(amount, currency);
    for await (const hold of tillgate.holds.list(payment.id, { organization })) {
      if (hold.reference !== id || hold.status !== 'active') continue;
      missing -= hold.amount;
      if (status === 'won') await tillgate.holds.release(hold.id, { organization });
    }
    const place = { amount: Math.min(missing, payment.amount_refundable), reason, reference: id, organization };
    if (status === 'won' || place.amount <= 0) continue;
    await tillgate.holds.place(payment.id, place, { idempotencyKey: `${id}-${missing}` });
  }
}

function outcomeOf({ id, status, failure_reason }: Stripe.Refund) {
  if (status === 'succeeded') return kit.succeeded(id);
  return NO_LONGER_MOVING.includes(status ?? '') ? kit.failed(failure_reason ?? 'canceled') : kit.submitted(id);
}

async function paymentIntentOf({ payment, organization }: kit.LedgerRefund): Promise<string | undefined> {
  const { reference } = await tillgate.payments.retrieve(payment, { organization });
  return reference?.startsWith('pi_') ? reference : undefined;
}

const idOf = (resource: string | { readonly id: string }) => (typeof resource === 'string' ? resource : resource.id);
const refusalOf = (currency: string) => `Stripe does not move such small parts of ${currency.toUpperCase()}.`;
