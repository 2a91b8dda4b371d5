/** The program in examples/stripe, between Tillgate and a stub of Stripe. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { PublicUrl } from '../../src/platform/http/public-url.js';
import { atOnce, SMALLEST } from '../support/client.js';
import { openPage, setPaymentUrl, stateIn, submit, visit } from '../support/page.js';
import { run, type Started, until } from '../support/processes.js';
import { useService, useShop } from '../support/setup.js';
import { freePort, listen } from '../support/sockets.js';
import { type Fields, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, Stripe } from '../support/stripe.js';

const GUIDE = readFileSync('docs/guides/connect-your-payment-provider.md', 'utf8');
const [, QUERY = ''] = /--payment-url 'http:\/\/localhost:4200(.*?)'/.exec(GUIDE) ?? [];

const service = useService();
const shop = useShop(service, {}, beforeAll);
const stripe = new Stripe();
let program: Started;
let address: string;

beforeAll(async () => {
  service.application.get(PublicUrl).value = service.url;
  const PORT = String(await freePort());
  address = `http://127.0.0.1:${PORT}`;
  const secrets = { TILLGATE_LEDGER_KEY: shop.ledgerKey, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET };
  const ports = { PORT, STRIPE_MOCK_PORT: String(await listen(stripe.server)) };
  const environment = { TILLGATE_URL: service.url, POLL_SECONDS: '0.1', ...secrets, ...ports };
  program = run(['dist/examples/stripe/stripe.js'], environment);
  const isThere = () => fetch(address).catch(() => undefined);
  await until(async () => (await isThere()) !== undefined);
});

afterEach(() => {
  stripe.refundsAre = { status: 'succeeded' };
  stripe.loses = /^$/;
});

afterAll(async () => {
  program.child.kill();
  expect((await program.ended).status).toBe(0);
  stripe.server.close();
});

async function tell(type: string, object: Fields, secret?: string): Promise<number> {
  return (await fetch(`${address}/stripe`, Stripe.event(type, object, secret))).status;
}

function tellPaid(id: string, payment_status = 'paid', secret?: string): Promise<number> {
  const paid = { ...stripe.checkoutSessions.get(id), payment_status, payment_intent: `pi_${id}` };
  return tell('checkout.session.completed', paid, secret);
}

/** A session whose customer has pressed Pay, and where that led. */
async function pressed(currency = 'usd', unit_amount = 1000) {
  const price_data = { currency, unit_amount, product_data: { name: 'Book' } };
  const order = { ...SMALLEST, currency, line_items: [{ price_data }], success_url: 'https://shop.example/thanks' };
  const { id, path } = await openPage(shop, order);
  await setPaymentUrl(service, shop, address + QUERY);
  const { location } = await submit(`${service.url}${path}/pay`);
  return { id, page: service.url + path, start: String(location) };
}

const paymentsOf = async (id: string) => (await shop.ledgerGet(`/ledger/v1/payments?checkout_session=${id}`)).body.data;
const refundOf = async (id: string) => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;

async function captured() {
  const payment_intent = `pi_${randomUUID()}`;
  return { payment_intent, payment: await shop.capture({ reference: payment_intent }) };
}

/** Proposes a refund, and waits until Stripe's side of it is as it should be. */
async function refunded(payment: string, amount: number, isDone: (refund: Fields) => boolean): Promise<string> {
  const { id } = (await shop.propose(payment, amount)).body;
  await until(async () => isDone(await refundOf(id)));
  return id;
}
const isSettled = ({ status }: Fields) => status !== 'pending';
const isSubmitted = ({ provider_reference }: Fields) => provider_reference !== null;

test('a session is paid at Stripe', async () => {
  const { id, page, start } = await pressed();
  for (let times = 0; times < 2; times++) {
    const { status, location } = await visit(start);
    expect([status, location]).toEqual([303, `https://checkout.stripe.com/c/pay/${id}`]);
  }
  expect(stripe.asked.get(id)).toEqual({
    mode: 'payment',
    client_reference_id: id,
    'metadata[organization]': shop.organization,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '1000',
    'line_items[0][price_data][product_data][name]': 'Your order',
    'adaptive_pricing[enabled]': 'false',
    success_url: `${page}/return`,
    cancel_url: `${page}/cancel`,
  });
  expect([await tellPaid(id, 'paid', 'whsec_other'), await tellPaid(id, 'unpaid')]).toEqual([400, 204]);
  expect(stateIn(await visit(`${page}/return`))).toBe('being_paid');
  expect([await tellPaid(id), await tellPaid(id)]).toEqual([204, 204]);
  expect((await visit(`${page}/return`)).location).toBe('https://shop.example/thanks');
  expect(await paymentsOf(id)).toMatchObject([{ amount: 1000, mismatch: null, reference: `pi_${id}` }]);
  expect((await visit(start)).location).toBe(`${page}/return`);
});

test('a payment for a session that has expired is recorded', async () => {
  const { id, page, start } = await pressed();
  await visit(start);
  await shop.expire(id);
  expect(await tellPaid(id)).toBe(204);
  expect(await paymentsOf(id)).toMatchObject([{ amount: 1000, mismatch: 'session_expired' }]);
  expect(stateIn(await visit(`${page}/return`))).toBe('received');
});

test('nobody is led to another site', async () => {
  const { id, page, start } = await pressed();
  for (const way of ['return', 'cancel']) {
    const url = new URL(start);
    url.searchParams.set(way, `https://evil.example/?${page}`);
    expect((await visit(url.href)).status).toBe(500);
  }
  expect(stripe.asked.has(id)).toBe(false);
});

const AT_STRIPE = Object.entries({ isk: 50_000, ugx: 50_000, mga: 5, jpy: 500, kwd: 500 });
test.each(AT_STRIPE)('%s 500 is %d at Stripe, and paid and refunded as such', async (currency, atStripe) => {
  const amount = 500;
  const { id, start } = await pressed(currency, amount);
  await visit(start);
  expect(stripe.asked.get(id)?.['line_items[0][price_data][unit_amount]']).toBe(String(atStripe));
  await tellPaid(id);
  const [payment] = await paymentsOf(id);
  expect(payment).toMatchObject({ amount, currency, mismatch: null });
  const refund = await refunded(payment.id, amount, isSettled);
  expect(stripe.refunds.get(refund)).toMatchObject({ amount: atStripe, payment_intent: `pi_${id}` });
});

test.each(['mga', 'kwd'])('505 of the minor unit of %s cannot be paid or refunded at Stripe', async (currency) => {
  const amount = 505;
  const { id, start } = await pressed(currency, amount);
  expect((await visit(start)).status).toBe(500);
  expect(stripe.asked.has(id)).toBe(false);
  const payment = await shop.capture({ currency, reference: `pi_${id}` });
  const reason = `Stripe does not move such small parts of ${currency.toUpperCase()}.`;
  expect(await refundOf(await refunded(payment, amount, isSettled))).toMatchObject({ status: 'failed', reason });
});

test('a refund whose answer is lost is found, and not paid again', async () => {
  const { payment } = await captured();
  stripe.loses = /^POST/;
  const id = await refunded(payment, 2000, isSettled);
  expect(await refundOf(id)).toMatchObject({ status: 'succeeded', provider_reference: `re_of_${id}` });
});

test('what Stripe will never pay fails, and any other refusal waits for a person', async () => {
  const { payment } = await captured();
  stripe.refundsAre = { status: 400, code: 'charge_disputed' };
  const failed = await refundOf(await refunded(payment, 2000, isSettled));
  expect(failed).toMatchObject({ status: 'failed', reason: 'It is charge_disputed.' });
  stripe.refundsAre = { status: 404, code: 'resource_missing' };
  const { id } = (await shop.propose(payment, 2000)).body;
  await until(() => program.stderr().includes(`${id} needs a person: It is resource_missing.`));
});

test('a pending refund succeeds later, and its money comes back', async () => {
  const { payment } = await captured();
  stripe.refundsAre = { status: 'pending' };
  const id = await refunded(payment, 2000, isSubmitted);
  expect(await tell('refund.updated', stripe.change(id, { status: 'succeeded' }))).toBe(204);
  expect(await refundOf(id)).toMatchObject({ status: 'succeeded' });
  const failed = stripe.change(id, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
  stripe.loses = /^GET/;
  expect(await tell('refund.failed', failed)).toBe(500);
  stripe.loses = /^$/;
  expect([await tell('refund.failed', failed), await tell('refund.failed', failed)]).toEqual([204, 204]);
  expect(await refundOf(id)).toMatchObject({ status: 'failed', reason: 'expired_or_canceled_card' });
  expect(await tell('refund.failed', { ...failed, metadata: {} })).toBe(204);
});

test('a dispute holds what is left until it is won', async () => {
  const { payment, payment_intent } = await captured();
  stripe.refundsAre = { status: 'pending' };
  const refund = await refunded(payment, 2000, isSubmitted);
  const onHold = async (status: string, type: string) => {
    expect(await tell(type, stripe.dispute({ payment_intent, status, amount: 4000 }))).toBe(204);
    return (await shop.ledgerGet(`/ledger/v1/payments/${payment}`)).body.amount_on_hold;
  };
  expect(await onHold('warning_needs_response', 'charge.dispute.created')).toBe(0);
  expect(await onHold('needs_response', 'charge.dispute.funds_withdrawn')).toBe(3000);
  await tell('refund.failed', stripe.change(refund, { status: 'failed' }));
  expect(await onHold('lost', 'charge.dispute.closed')).toBe(4000);
  expect(await onHold('won', 'charge.dispute.closed')).toBe(0);
  expect(await onHold('won', 'charge.dispute.created')).toBe(0);
});

test('events that arrive at once hold the disputed amount once', async () => {
  const { payment, payment_intent } = await captured();
  const dispute = stripe.dispute({ payment_intent, status: 'needs_response', amount: 500 });
  await atOnce(5, () => tell('charge.dispute.created', dispute));
  const { data } = (await shop.ledgerGet(`/ledger/v1/payments/${payment}/holds`)).body;
  expect(data).toMatchObject([{ amount: 500, reason: 'fraudulent', reference: dispute.id, status: 'active' }]);
});

test('keys of two modes are refused', async () => {
  const keys = { TILLGATE_LEDGER_KEY: 'lk_live_1', STRIPE_SECRET_KEY };
  expect((await run(['dist/examples/stripe/stripe.js'], keys).ended).stderr).toContain('One key is of live mode');
});
