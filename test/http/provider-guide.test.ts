/** The program of the guide, as it stands there, between a page and the endpoints of Stripe's API that it uses. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PublicUrl } from '../../src/platform/http/public-url.js';
import { SMALLEST } from '../support/client.js';
import { openPage, setPaymentUrl, stateIn, submit, visit } from '../support/page.js';
import { run, type Started, until } from '../support/processes.js';
import { useService, useShop } from '../support/setup.js';

const GUIDE = readFileSync('docs/guides/connect-your-payment-provider.md', 'utf8');
const [, PROGRAM = ''] = /```js\n(.*?)```/s.exec(GUIDE) ?? [];
const [, QUERY = ''] = /--payment-url 'http:\/\/localhost:4200(.*?)'/.exec(GUIDE) ?? [];
const STRIPE_KEY = 'sk_test_stripe';
const STRIPE_WEBHOOK_SECRET = 'whsec_stripe';

const service = useService();
const shop = useShop(service, {}, beforeAll);
const made = new Map<string, Readonly<Record<string, string>>>();
let stripe: Server;
let program: Started;
let address: string;

async function listening(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** POST /v1/checkout/sessions, which answers the same again under the same idempotency key. */
function startStripe(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { authorization, 'idempotency-key': key } = request.headers;
    const asked = new URLSearchParams(await text(request));
    if (request.url !== '/v1/checkout/sessions' || authorization !== `Bearer ${STRIPE_KEY}`) {
      return response.writeHead(401).end();
    }
    made.set(String(key), Object.fromEntries(asked));
    return response.end(
      JSON.stringify({ object: 'checkout.session', url: `https://checkout.stripe.com/c/pay/${key}` }),
    );
  });
  return listening(server);
}

beforeAll(async () => {
  service.application.get(PublicUrl).value = service.url;
  stripe = await startStripe();
  const folder = mkdtempSync(join(process.env.TEST_SCRATCH as string, 'provider-'));
  writeFileSync(join(folder, 'payments.mjs'), PROGRAM);
  const probe = createServer();
  address = originOf(await listening(probe));
  probe.close();
  const { ledgerKey: LEDGER_KEY } = shop;
  const keys = { LEDGER_KEY, STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE: originOf(stripe) };
  program = run([join(folder, 'payments.mjs')], { API: service.url, PORT: new URL(address).port, ...keys });
  await until(() =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );
});

afterAll(async () => {
  program.child.kill();
  await program.ended;
  stripe.close();
});

/** What Stripe sends about a Checkout Session, signed as its documentation says. */
async function tell(id: string, payment_status = 'paid', secret = STRIPE_WEBHOOK_SECRET): Promise<number> {
  const { client_reference_id, 'metadata[organization]': organization } = made.get(id) ?? {};
  const paid = { client_reference_id, metadata: { organization }, payment_intent: `pi_${id}`, payment_status };
  const object = { object: 'checkout.session', ...paid, amount_total: 1000, currency: 'usd' };
  const body = JSON.stringify({ type: 'checkout.session.completed', data: { object } });
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${signature}` };
  return (await fetch(`${address}/stripe`, { method: 'POST', body, headers })).status;
}

/** A session whose customer has pressed Pay, and where that led. */
async function pressed() {
  const { id, path } = await openPage(shop, { ...SMALLEST, success_url: 'https://shop.example/thanks' });
  await setPaymentUrl(service, shop, address + QUERY);
  const { location } = await submit(`${service.url}${path}/pay`);
  return { id, page: service.url + path, start: String(location) };
}

const paymentsOf = async (id: string) => (await shop.ledgerGet(`/ledger/v1/payments?checkout_session=${id}`)).body.data;

test('a session is paid at Stripe', async () => {
  const { id, page, start } = await pressed();
  for (let times = 0; times < 2; times++) {
    const { status, location } = await visit(start);
    expect([status, location]).toEqual([303, `https://checkout.stripe.com/c/pay/${id}`]);
  }
  expect(made.get(id)).toEqual({
    mode: 'payment',
    client_reference_id: id,
    'metadata[organization]': shop.organization,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '1000',
    'line_items[0][price_data][product_data][name]': 'Your order',
    success_url: `${page}/return`,
    cancel_url: `${page}/cancel`,
  });
  expect([await tell(id, 'paid', 'whsec_other'), await tell(id, 'unpaid')]).toEqual([400, 204]);
  expect(stateIn(await visit(`${page}/return`))).toBe('being_paid');
  expect([await tell(id), await tell(id)]).toEqual([204, 204]);
  expect((await visit(`${page}/return`)).location).toBe('https://shop.example/thanks');
  expect(await paymentsOf(id)).toMatchObject([{ amount: 1000, mismatch: null, reference: `pi_${id}` }]);
  expect((await visit(start)).location).toBe(`${page}/return`);
});

test('a payment for a session that has expired is recorded', async () => {
  const { id, page, start } = await pressed();
  await visit(start);
  await shop.expire(id);
  expect(await tell(id)).toBe(204);
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
  expect(made.has(id)).toBe(false);
});
