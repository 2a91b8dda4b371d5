/**
 * Makes refunds and holds for disputes: what moves money at Stripe, and what Tillgate is told of
 * it.
 */
import Stripe from 'stripe';
import { TillgateLedger } from '../../client/src/index.js';
import * as kit from '../../client/src/ledger/index.js';
import { fromStripe, toStripe } from './amounts.js';

const { TILLGATE_URL = '', TILLGATE_LEDGER_KEY = '', STRIPE_SECRET_KEY = '' } = process.env;
/** STRIPE_MOCK_PORT is the port of a stub of Stripe on this machine. */
const { STRIPE_ACCOUNTS = '{}', STRIPE_MOCK_PORT: port } = process.env;
const TIMEOUT_MS = 10_000;
/** With these codes Stripe refuses a refund for ever. Other refusals need a person. */
const NEVER_PAID = [
  'charge_already_refunded',
  'charge_disputed',
  'charge_not_refundable',
  'refund_disputed_payment',
];
/** Nothing was paid, and nothing will be paid until a person has changed something. */
const REFUSED = [400, 401, 402, 403, 404];
const NO_LONGER_MOVING = ['failed', 'canceled'];

const isLive = [TILLGATE_LEDGER_KEY, STRIPE_SECRET_KEY].map((key) => key.includes('_live_'));
if (isLive[0] !== isLive[1]) throw new Error('One key is of live mode, and the other is not.');

export const tillgate = new TillgateLedger({ baseUrl: TILLGATE_URL, key: TILLGATE_LEDGER_KEY });
export const stripe = new Stripe(STRIPE_SECRET_KEY, {
  timeout: TIMEOUT_MS,
  ...(port ? { protocol: 'http', host: '127.0.0.1', port } : {}),
});

interface Account {
  readonly id: string;
  readonly fee_percent?: number;
}

const accounts: Readonly<Partial<Record<string, Account>>> = JSON.parse(STRIPE_ACCOUNTS);

/**
 * The connected account that an organization's payments are transferred to, and your fee. Read them
 * from where you keep yours.
 */
export const accountOf = (organization: string): Account | undefined => accounts[organization];

export async function pay(refund: kit.ClaimedRefund): Promise<kit.PayOutcome> {
  const { id, amount: asked, currency } = refund;
  const payment_intent = await paymentIntentOf(refund);
  const amount = toStripe(asked, currency);
  if (!payment_intent) return kit.stuck(`${refund.payment} was not paid at Stripe.`);
  if (amount === undefined) return kit.failed(refusalOf(currency));
  const account = accountOf(refund.organization);
  // The merchant and the platform return their parts.
  const parts = account
    ? { reverse_transfer: true, refund_application_fee: Boolean(account.fee_percent) }
    : {};
  try {
    const options = { idempotencyKey: id };
    const payout = { payment_intent, amount, metadata: { refund: id }, ...parts };
    return outcomeOf(await stripe.refunds.create(payout, options));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { code = '', statusCode = 0, message } = error;
    if (NEVER_PAID.includes(code)) return kit.failed(message);
    if (REFUSED.includes(statusCode)) return kit.stuck(message);
    // Stripe's package repeats requests without an answer, so even "too many requests" may come
    // after a payout.
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
  const decisive =
    payouts.find(({ status }) => !NO_LONGER_MOVING.includes(status ?? '')) ?? payouts[0];
  return decisive ? outcomeOf(decisive) : kit.notThere();
}

/**
 * Records what was refunded without Tillgate, such as in the dashboard, and takes it back if it
 * failed. Events come in any order, so Stripe is asked how all refunds of the payment stand.
 */
export async function followRefunds(paid: string | Stripe.PaymentIntent | null): Promise<void> {
  if (!paid) return;
  const payment_intent = idOf(paid);
  for await (const payout of stripe.refunds.list({ payment_intent, limit: 100 })) {
    const { id: provider_reference, status, currency, failure_reason } = payout;
    // The worker made this refund itself.
    if (payout.metadata?.refund) continue;
    const payment = await paymentOf(payment_intent);
    if (!payment) return;
    const { id, organization } = payment;
    const amount = fromStripe(payout.amount, currency);
    // The request has no idempotency key of its own, so that a refusal is not repeated: the amount
    // that a pending refund reserves may be free later.
    if (status === 'succeeded')
      await tillgate.refunds.record({ organization, payment: id, amount, provider_reference });
    if (!NO_LONGER_MOVING.includes(status ?? '')) continue;
    for await (const refund of tillgate.refunds.list({
      payment: id,
      organization,
      status: 'all',
    })) {
      if (refund.provider_reference !== provider_reference || refund.status !== 'succeeded')
        continue;
      await tillgate.refunds.return(
        refund.id,
        { reason: failure_reason ?? 'canceled' },
        { organization },
      );
    }
  }
}

/**
 * Returns undefined if the payment is not one of Tillgate. Throws if it is one and is not recorded
 * yet, so that Stripe sends the event again.
 */
async function paymentOf(payment_intent: string) {
  for await (const payment of tillgate.payments.list({ reference: payment_intent })) return payment;
  const { metadata } = await stripe.paymentIntents.retrieve(payment_intent);
  if (metadata.session) throw new Error(`${payment_intent} has not been recorded yet.`);
  return undefined;
}

/**
 * Holds what is disputed, as far as it is left, until the bank decides for the merchant. Events
 * come in any order, so Stripe is asked how the dispute stands.
 */
export async function followDispute(id: string): Promise<void> {
  const { payment_intent, status, amount, currency, reason } = await stripe.disputes.retrieve(id);
  // An inquiry takes no money.
  if (!payment_intent || status.startsWith('warning_')) return;
  for await (const payment of tillgate.payments.list({ reference: idOf(payment_intent) })) {
    const { organization } = payment;
    let missing = fromStripe(amount, currency);
    for await (const hold of tillgate.holds.list({ payment: payment.id, organization })) {
      if (hold.reference !== id || hold.status !== 'active') continue;
      missing -= hold.amount;
      if (status === 'won') await tillgate.holds.release(hold.id, { organization });
    }
    const place = {
      amount: Math.min(missing, payment.amount_refundable),
      reason,
      reference: id,
      organization,
    };
    if (status === 'won' || place.amount <= 0) continue;
    await tillgate.holds.place(payment.id, place, { idempotencyKey: `${id}-${missing}` });
  }
}

function outcomeOf({ id, status, failure_reason }: Stripe.Refund) {
  if (status === 'succeeded') return kit.succeeded(id);
  return NO_LONGER_MOVING.includes(status ?? '')
    ? kit.failed(failure_reason ?? 'canceled')
    : kit.submitted(id);
}

async function paymentIntentOf({
  payment,
  organization,
}: kit.LedgerRefund): Promise<string | undefined> {
  const { reference } = await tillgate.payments.retrieve(payment, { organization });
  return reference?.startsWith('pi_') ? reference : undefined;
}

export const idOf = (resource: string | { readonly id: string }) =>
  typeof resource === 'string' ? resource : resource.id;
export const refusalOf = (currency: string) =>
  `Stripe does not move such small parts of ${currency.toUpperCase()}.`;
