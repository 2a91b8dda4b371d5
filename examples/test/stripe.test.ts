/** The program in examples/stripe runs between Tillgate and a stub of Stripe. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { PublicUrl } from '../../src/request/public-url.js';
import { useService, useShop } from '../../test/kit/setup.js';
import { atOnce, SMALLEST } from '../../test/support/client.js';
import { openPage, setPaymentUrl, stateIn, submit, visit } from '../../test/support/page.js';
import { run, type Started, until } from '../../test/support/processes.js';
import { freePort, listen } from '../../test/support/sockets.js';
import {
  type Fields,
  STRIPE_SECRET_KEY,
  STRIPE_WEBHOOK_SECRET,
  Stripe,
} from '../../test/support/stripe.js';

const GUIDE = readFileSync('docs/guides/connect-your-payment-provider.md', 'utf8');
const [, QUERY = ''] = /--payment-url 'http:\/\/localhost:4200(.*?)'/.exec(GUIDE) ?? [];

const service = useService();
const shop = useShop(service, {}, beforeAll);
/** The money of this shop goes to a connected account. */
const connected = useShop(service, {}, beforeAll);
const stripe = new Stripe();
let program: Started;
let address: string;

beforeAll(async () => {
  service.application.get(PublicUrl).value = service.url;
  const PORT = String(await freePort());
  address = `http://127.0.0.1:${PORT}`;
  const secrets = { TILLGATE_LEDGER_KEY: shop.ledgerKey, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET };
  const ports = { PORT, STRIPE_MOCK_PORT: String(await listen(stripe.server)) };
  const STRIPE_ACCOUNTS = JSON.stringify({
    [connected.organization]: { id: 'acct_1', fee_percent: 2.5 },
  });
  const environment = {
    STRIPE_ACCOUNTS,
    TILLGATE_URL: service.url,
    POLL_SECONDS: '0.1',
    ...secrets,
    ...ports,
  };
  program = run(['dist/examples/stripe/stripe.js'], environment);
  const isThere = () => fetch(address).catch(() => undefined);
  await until(async () => (await isThere()) !== undefined);
});

afterEach(() => {
  stripe.refundsAre = { status: 'succeeded' };
  stripe.refusesPage = () => false;
  stripe.beforePage = async () => undefined;
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
  const paid = { payment_status, payment_intent: `pi_${id}` };
  return tell('checkout.session.completed', { ...stripe.pagesOf(id).at(-1), ...paid }, secret);
}

const priced = (currency: string, unit_amount: number) => ({
  currency,
  line_items: [{ price_data: { currency, unit_amount, product_data: { name: 'Book' } } }],
});

/** Opens a session, presses Pay as its customer, and returns where that leads. */
async function pressed(order: object = priced('usd', 1000), owner = shop) {
  const { id, path } = await openPage(owner, {
    ...SMALLEST,
    ...order,
    success_url: 'https://shop.example/thanks',
  });
  await setPaymentUrl(service, owner, address + QUERY);
  const page = service.url + path;
  const start = async () => String((await submit(`${page}/pay`)).location);
  /** Presses Pay, and follows the redirect to the program. */
  const pay = async () => (await visit(await start())).location;
  return { id, page, start: await start(), pay, form: () => stripe.pagesOf(id).at(-1)?.form ?? {} };
}

const now = () => Date.now() / 1000;

const paymentsOf = async (id: string) =>
  (await shop.ledgerGet(`/ledger/v1/payments?checkout_session=${id}`)).body.data;
const refundOf = async (id: string) => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;

async function captured() {
  const payment_intent = `pi_${randomUUID().replaceAll('-', '')}`;
  return { payment_intent, payment: await shop.capture({ reference: payment_intent }) };
}

/** Proposes a refund, and waits until Stripe's side of it is as expected. */
async function refunded(
  payment: string,
  amount: number,
  isDone: (refund: Fields) => boolean,
): Promise<string> {
  const { id } = (await shop.propose(payment, amount)).body;
  await until(async () => isDone(await refundOf(id)));
  return id;
}
const isSettled = ({ status }: Fields) => status !== 'pending';
const isSubmitted = ({ provider_reference }: Fields) => provider_reference !== null;

test('pays a session at Stripe', async () => {
  const { id, page, start, pay, form } = await pressed();
  expect((await visit(start)).status).toBe(303);
  const [made] = stripe.pagesOf(id);
  for (let times = 0; times < 2; times++) expect(await pay()).toBe(made?.url);
  expect(stripe.pagesOf(id)).toHaveLength(1);
  expect(form()).toEqual({
    mode: 'payment',
    client_reference_id: id,
    'metadata[organization]': shop.organization,
    'payment_intent_data[metadata][organization]': shop.organization,
    'payment_intent_data[metadata][session]': id,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '1000',
    'line_items[0][price_data][product_data][name]': 'Book',
    'adaptive_pricing[enabled]': 'false',
    expires_at: expect.any(String),
    locale: 'auto',
    success_url: `${page}/return`,
    cancel_url: `${page}/cancel`,
  });
  expect([await tellPaid(id, 'paid', 'whsec_other'), await tellPaid(id, 'unpaid')]).toEqual([
    400, 204,
  ]);
  expect(stateIn(await visit(`${page}/return`))).toBe('being_paid');
  expect([await tellPaid(id), await tellPaid(id)]).toEqual([204, 204]);
  expect((await visit(`${page}/return`)).location).toBe('https://shop.example/thanks');
  expect(await paymentsOf(id)).toMatchObject([
    { amount: 1000, mismatch: null, reference: `pi_${id}` },
  ]);
  expect((await visit(start)).location).toBe(`${page}/return`);
});

test('leads customers who press Pay twice at once to one page', async () => {
  const { id, start } = await pressed();
  const led = await atOnce(4, () => visit(start));
  expect(new Set(led.map(({ location }) => location))).toEqual(
    new Set([stripe.pagesOf(id)[0]?.url]),
  );
});

test('shows the lines, the e-mail address and the language at Stripe', async () => {
  const line = (name: string, unit_amount: number, more: object = {}) => ({
    ...more,
    price_data: { currency: 'usd', unit_amount, product_data: { name } },
  });
  const lines = [
    line('T-shirt', 1299, { quantity: 2 }),
    line('Mug', 900, { quantity: 3, amount_discount: 100 }),
  ];
  const customer = { customer_email: 'ada@shop.example', locale: 'de-AT' };
  const order = { currency: 'usd', line_items: lines, amount_shipping: 490, ...customer };
  const { start, form } = await pressed(order);
  await visit(start);
  const shown = (at: number) =>
    ['[quantity]', '[price_data][unit_amount]', '[price_data][product_data][name]'].map(
      (name) => form()[`line_items[${at}]${name}`],
    );
  expect([0, 1, 2].map(shown)).toEqual([
    ['2', '1299', 'T-shirt'],
    ['1', '2600', '3 × Mug'],
    ['1', '490', 'Shipping'],
  ]);
  expect(form()).toMatchObject({ customer_email: 'ada@shop.example', locale: 'de' });
  const british = await pressed({
    ...priced('kwd', 5),
    line_items: priced('kwd', 5).line_items.map((one) => ({ ...one, quantity: 2 })),
    locale: 'en-GB',
  });
  await visit(british.start);
  // Stripe accepts no single thousandths.
  expect(british.form()).toMatchObject({
    'line_items[0][price_data][unit_amount]': '10',
    locale: 'en-GB',
  });
});

test.each([
  [5, 30, 42],
  [120, 119, 120],
  [24 * 60, 24 * 60 - 12, 24 * 60],
])(
  'gives a session that ends in %d min a page at Stripe that ends in %d to %d min',
  async (ours, least, most) => {
    const { start, form } = await pressed({ expires_at: Math.floor(now()) + ours * 60 });
    await visit(start);
    const minutes = (Number(form().expires_at) - now()) / 60;
    expect([minutes > least, minutes < most]).toEqual([true, true]);
  },
);

test('ends the page at Stripe with the session, and not once it is paid', async () => {
  const [left, paid, other] = [await pressed(), await pressed(), await pressed()];
  for (const { start } of [left, paid]) await visit(start);
  stripe.changePage(stripe.pagesOf(paid.id)[0]?.id, { status: 'complete' });
  for (const { id } of [other, paid, left]) await shop.expire(id);
  await until(() => stripe.pagesOf(left.id)[0]?.status === 'expired');
  expect([stripe.pagesOf(paid.id)[0]?.status, stripe.pagesOf(other.id)]).toEqual(['complete', []]);
});

test('ends a page that Stripe makes while its session ends', async () => {
  const [late, left] = [await pressed(), await pressed()];
  await visit(left.start);
  stripe.beforePage = async () => {
    for (const { id } of [late, left]) await shop.expire(id);
    await until(() => stripe.pagesOf(left.id)[0]?.status === 'expired');
  };
  expect((await visit(late.start)).location).toBe(`${late.page}/return`);
  expect(stripe.pagesOf(late.id)).toMatchObject([{ status: 'expired' }]);
});

test('tells a customer whom Stripe refuses, and takes the payment once the fault is mended', async () => {
  const { page, pay, id } = await pressed({ ...priced('usd', 1000), locale: 'de' });
  stripe.refusesPage = () => true;
  for (let times = 0; times < 2; times++) expect(await pay()).toBe(`${page}/cancel`);
  expect((await visit(`${page}/cancel`)).text).toContain('lang="de"');
  stripe.refusesPage = () => false;
  const led = await pay();
  expect(led).toBe(stripe.pagesOf(id)[0]?.url);
  expect([await pay(), stripe.pagesOf(id)]).toMatchObject([led, { length: 1 }]);
});

test('takes a payment though Stripe refuses a detail of it', async () => {
  const { pay, form } = await pressed({
    ...priced('usd', 1000),
    customer_email: 'ada@shop.example',
  });
  stripe.refusesPage = ({ customer_email }) => customer_email !== undefined;
  expect(await pay()).toContain('https://checkout.stripe.com/');
  expect(form()['line_items[0][price_data][product_data][name]']).toBe('Your order');
});

test('lets a customer pay again when the bank refuses a payment days later', async () => {
  const { id, page, pay } = await pressed();
  const first = await pay();
  const { id: at } = stripe.changePage(stripe.pagesOf(id)[0]?.id, {
    status: 'complete',
    url: null,
  });
  const is = (status: string) =>
    stripe.changePage(at, { payment_intent: { id: `pi_${id}`, status } });
  is('processing');
  expect(await pay()).toBe(`${page}/return`);
  expect(await tell('checkout.session.async_payment_failed', is('requires_payment_method'))).toBe(
    204,
  );
  const second = await pay();
  expect([second, await pay()]).toEqual([stripe.pagesOf(id)[1]?.url, second]);
  expect(second).not.toBe(first);
});

test('records a payment for a session that has expired', async () => {
  const { id, page, start } = await pressed();
  await visit(start);
  await shop.expire(id);
  expect(await tellPaid(id)).toBe(204);
  expect(await paymentsOf(id)).toMatchObject([{ amount: 1000, mismatch: 'session_expired' }]);
  expect(stateIn(await visit(`${page}/return`))).toBe('received');
});

test('leads nobody to another site or page, and nobody to Stripe without the page', async () => {
  const { id, page, start } = await pressed();
  const other = await pressed();
  for (const way of ['return', 'cancel']) {
    for (const forged of [
      `https://evil.example/?${page}`,
      `${other.page}/${way}`,
      `${page}/${way}/x`,
      '',
    ]) {
      const url = new URL(start);
      url.searchParams.set(way, forged);
      expect((await visit(url.href)).status).toBe(500);
    }
  }
  expect((await visit(`${address}/pay?session=${id}`)).status).toBe(500);
  expect(stripe.pagesOf(id)).toEqual([]);
});

test('answers strangers on its public paths, and tells that it lives', async () => {
  const body = 'x'.repeat(1024 * 1024 + 1);
  expect((await visit(`${address}/stripe`, { method: 'POST', body })).status).toBe(413);
  expect((await visit(`${address}//`)).status).toBe(500);
  expect((await visit(`${address}/livez`)).status).toBe(204);
});

const AT_STRIPE = Object.entries({ isk: 50_000, ugx: 50_000, mga: 5, jpy: 500, kwd: 500 });
test.each(AT_STRIPE)('pays and refunds %s 500 as %d at Stripe', async (currency, atStripe) => {
  const amount = 500;
  const { id, start, form } = await pressed(priced(currency, amount));
  await visit(start);
  expect(form()['line_items[0][price_data][unit_amount]']).toBe(String(atStripe));
  await tellPaid(id);
  const [payment] = await paymentsOf(id);
  expect(payment).toMatchObject({ amount, currency, mismatch: null });
  const refund = await refunded(payment.id, amount, isSettled);
  expect(stripe.refunds.get(refund)).toMatchObject({
    amount: atStripe,
    payment_intent: `pi_${id}`,
  });
});

test.each(['mga', 'kwd'])(
  'refuses to pay or refund 505 of the minor unit of %s at Stripe',
  async (currency) => {
    const amount = 505;
    const { id, page, pay } = await pressed(priced(currency, amount));
    expect([await pay(), stripe.pagesOf(id)]).toEqual([`${page}/cancel`, []]);
    const payment = await shop.capture({ currency, reference: `pi_${id}` });
    const reason = `Stripe does not move such small parts of ${currency.toUpperCase()}.`;
    expect(await refundOf(await refunded(payment, amount, isSettled))).toMatchObject({
      status: 'failed',
      reason,
    });
  },
);

test('finds a refund whose answer is lost, and does not pay it again', async () => {
  const { payment } = await captured();
  stripe.loses = /^POST/;
  const id = await refunded(payment, 2000, isSettled);
  expect(await refundOf(id)).toMatchObject({
    status: 'succeeded',
    provider_reference: `re_of_${id}`,
  });
});

test('fails a refund that Stripe will never pay, and leaves any other refusal to a person', async () => {
  const { payment } = await captured();
  stripe.refundsAre = { status: 400, code: 'charge_disputed' };
  const failed = await refundOf(await refunded(payment, 2000, isSettled));
  expect(failed).toMatchObject({ status: 'failed', reason: 'It is charge_disputed.' });
  stripe.refundsAre = { status: 404, code: 'resource_missing' };
  const { id } = (await shop.propose(payment, 2000)).body;
  await until(() => program.stderr().includes(`${id} needs a person: It is resource_missing.`));
});

test('succeeds a pending refund later, and returns its money', async () => {
  const { payment } = await captured();
  stripe.refundsAre = { status: 'pending' };
  const id = await refunded(payment, 2000, isSubmitted);
  expect(await tell('refund.updated', stripe.change(id, { status: 'succeeded' }))).toBe(204);
  expect(await refundOf(id)).toMatchObject({ status: 'succeeded' });
  const failed = stripe.change(id, {
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
  });
  stripe.loses = /^GET/;
  expect(await tell('refund.failed', failed)).toBe(500);
  stripe.loses = /^$/;
  expect([await tell('refund.failed', failed), await tell('refund.failed', failed)]).toEqual([
    204, 204,
  ]);
  expect(await refundOf(id)).toMatchObject({
    status: 'failed',
    reason: 'expired_or_canceled_card',
  });
  expect(await tell('refund.failed', { ...failed, metadata: {} })).toBe(204);
});

test("transfers money to a connected account, and takes both parties' parts back for a refund", async () => {
  const { id, start, form } = await pressed(priced('usd', 1010), connected);
  await visit(start);
  expect(form()).toMatchObject({
    'payment_intent_data[transfer_data][destination]': 'acct_1',
    'payment_intent_data[application_fee_amount]': '26',
  });
  await tellPaid(id);
  const { id: refund } = (await connected.propose((await paymentsOf(id))[0].id, 500)).body;
  await until(async () => isSettled(await refundOf(refund)));
  expect(stripe.refunds.get(refund)).toMatchObject({
    form: { reverse_transfer: 'true', refund_application_fee: 'true' },
  });
});

describe('a refund that was made in the dashboard', () => {
  const EVENTS = ['charge.refunded', 'refund.created', 'refund.updated'];
  const ORDERS = [
    EVENTS,
    EVENTS.toReversed(),
    ['refund.updated', 'charge.refunded', 'refund.created'],
  ];
  const refundsOf = async (payment: string) =>
    (await shop.ledgerGet(`/ledger/v1/refunds?status=all&payment=${payment}`)).body.data;
  const madeElsewhere = (payment_intent: string, amount: number) =>
    stripe.refundInDashboard(`re_${randomUUID()}`, { payment_intent, amount });

  test.each(ORDERS)(
    'is recorded once, in part and in full, after %s, %s and %s',
    async (...order) => {
      const { payment, payment_intent } = await captured();
      const live = await shop.in('live', service);
      const inLive = await live.capture({ reference: payment_intent });
      const own = await refunded(payment, 2000, isSettled);
      // A refund of the worker is never taken for one from the dashboard, whatever Tillgate knows
      // about it.
      stripe.refundInDashboard(`re_${randomUUID()}`, {
        payment_intent,
        amount: 100,
        metadata: { refund: own },
      });
      const recorded: unknown[] = [];
      for (const amount of [1000, 2000]) {
        const { id } = madeElsewhere(payment_intent, amount);
        recorded.push({ amount, provider_reference: id, status: 'succeeded' });
        for (const type of [...order, ...order])
          expect(await tell(type, stripe.refunds.get(String(id)) ?? {})).toBe(204);
        expect((await refundsOf(payment)).slice(1)).toMatchObject(recorded);
      }
      await atOnce(4, () => tell('refund.updated', stripe.refunds.get(own) ?? {}));
      expect(await refundsOf(payment)).toHaveLength(3);
      expect((await live.get(`/v1/payments/${inLive}`)).body.amount_refunded).toBe(0);
    },
  );

  test('is recorded once when it is told many times at once', async () => {
    const { payment, payment_intent } = await captured();
    const refund = madeElsewhere(payment_intent, 5000);
    const told = await atOnce(6, (at) => tell(EVENTS[at % 3] ?? '', refund));
    expect(told).toEqual(told.map(() => 204));
    expect(await refundsOf(payment)).toMatchObject([{ amount: 5000, status: 'succeeded' }]);
  });

  test('gives its amount back when it fails, whether it was recorded or not', async () => {
    const { payment, payment_intent } = await captured();
    const { id: known } = madeElsewhere(payment_intent, 1000);
    await tell('charge.refunded', { payment_intent });
    madeElsewhere(payment_intent, 500);
    for (const one of stripe.refunds.values()) {
      if (one.payment_intent === payment_intent)
        stripe.change(String(one.id), { status: 'failed', failure_reason: 'lost' });
    }
    for (const type of ['refund.failed', 'refund.updated', 'charge.refunded', 'refund.failed']) {
      expect(await tell(type, { payment_intent })).toBe(204);
      expect(await refundsOf(payment)).toMatchObject([
        { provider_reference: known, status: 'failed', reason: 'lost' },
      ]);
    }
    expect((await shop.ledgerGet(`/ledger/v1/payments/${payment}`)).body.amount_refundable).toBe(
      5000,
    );
  });

  test('is recorded when it has succeeded after it was pending', async () => {
    const { payment, payment_intent } = await captured();
    const { id } = madeElsewhere(payment_intent, 1000);
    expect(await tell('refund.created', stripe.change(String(id), { status: 'pending' }))).toBe(
      204,
    );
    expect(await refundsOf(payment)).toEqual([]);
    expect(await tell('refund.updated', stripe.change(String(id), { status: 'succeeded' }))).toBe(
      204,
    );
    expect(await refundsOf(payment)).toHaveLength(1);
  });

  test('is told again when it comes before its payment or before the worker releases its money', async () => {
    const payment_intent = `pi_${randomUUID().replaceAll('-', '')}`;
    const refund = madeElsewhere(payment_intent, 4000);
    stripe.paymentIntents.set(payment_intent, { metadata: { session: 'cs_test_1' } });
    expect(await tell('refund.created', refund)).toBe(500);
    const payment = await shop.capture({ reference: payment_intent });
    stripe.refundsAre = { status: 'pending' };
    const pending = await refunded(payment, 2000, isSubmitted);
    expect(await tell('refund.created', refund)).toBe(500);
    await tell('refund.failed', stripe.change(pending, { status: 'failed' }));
    expect(await tell('refund.created', refund)).toBe(204);
    expect(await refundsOf(payment)).toMatchObject([
      { status: 'failed' },
      { amount: 4000, status: 'succeeded' },
    ]);
  });

  test('is ignored if its payment is not of Tillgate', async () => {
    stripe.paymentIntents.set('pi_other', { metadata: {} });
    expect(await tell('charge.refunded', madeElsewhere('pi_other', 1000))).toBe(204);
    expect(await tell('charge.refunded', { payment_intent: null })).toBe(204);
  });
});

test('holds the rest of a payment in dispute until it is won', async () => {
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

test('holds the disputed amount once for events that arrive at once', async () => {
  const { payment, payment_intent } = await captured();
  const dispute = stripe.dispute({ payment_intent, status: 'needs_response', amount: 500 });
  await atOnce(5, () => tell('charge.dispute.created', dispute));
  const { data } = (await shop.ledgerGet(`/ledger/v1/holds?payment=${payment}`)).body;
  expect(data).toMatchObject([
    { amount: 500, reason: 'fraudulent', reference: dispute.id, status: 'active' },
  ]);
});

test('refuses keys of two modes', async () => {
  const keys = { TILLGATE_LEDGER_KEY: 'lk_live_1', STRIPE_SECRET_KEY };
  expect((await run(['dist/examples/stripe/stripe.js'], keys).ended).stderr).toContain(
    'One key is of live mode',
  );
});
