/** Customers pay at a stub of Stripe through the program in examples/stripe. */
import { expect, test } from '@jest/globals';
import { atOnce } from '../../test/support/client.js';
import { stateIn, visit } from '../../test/support/page.js';
import { until } from '../../test/support/processes.js';
import { priced, useStripeProgram } from '../../test/support/stripe-program.js';

const program = useStripeProgram();
const { shop, stripe } = program;

test('pays a session at Stripe', async () => {
  const { id, page, start, pay, form } = await program.pressed();
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
  expect([
    await program.tellPaid(id, 'paid', 'whsec_other'),
    await program.tellPaid(id, 'unpaid'),
  ]).toEqual([400, 204]);
  expect(stateIn(await visit(`${page}/return`))).toBe('being_paid');
  expect([await program.tellPaid(id), await program.tellPaid(id)]).toEqual([204, 204]);
  expect((await visit(`${page}/return`)).location).toBe('https://shop.example/thanks');
  expect(await program.paymentsOf(id)).toMatchObject([
    { amount: 1000, mismatch: null, reference: `pi_${id}` },
  ]);
  expect((await visit(start)).location).toBe(`${page}/return`);
});

test('leads customers who press Pay twice at once to one page', async () => {
  const { id, start } = await program.pressed();
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
  const { start, form } = await program.pressed(order);
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
  const british = await program.pressed({
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
    const { start, form } = await program.pressed({
      expires_at: Math.floor(Date.now() / 1000) + ours * 60,
    });
    await visit(start);
    const minutes = (Number(form().expires_at) - Date.now() / 1000) / 60;
    expect([minutes > least, minutes < most]).toEqual([true, true]);
  },
);

test('ends the page at Stripe with the session, and not once it is paid', async () => {
  const [left, paid, other] = [
    await program.pressed(),
    await program.pressed(),
    await program.pressed(),
  ];
  for (const { start } of [left, paid]) await visit(start);
  stripe.changePage(stripe.pagesOf(paid.id)[0]?.id, { status: 'complete' });
  for (const { id } of [other, paid, left]) await shop.expire(id);
  await until(() => stripe.pagesOf(left.id)[0]?.status === 'expired');
  expect([stripe.pagesOf(paid.id)[0]?.status, stripe.pagesOf(other.id)]).toEqual(['complete', []]);
});

test('ends a page that Stripe makes while its session ends', async () => {
  const [late, left] = [await program.pressed(), await program.pressed()];
  await visit(left.start);
  stripe.beforePage = async () => {
    for (const { id } of [late, left]) await shop.expire(id);
    await until(() => stripe.pagesOf(left.id)[0]?.status === 'expired');
  };
  expect((await visit(late.start)).location).toBe(`${late.page}/return`);
  expect(stripe.pagesOf(late.id)).toMatchObject([{ status: 'expired' }]);
});

test('tells a customer whom Stripe refuses, and takes the payment once the fault is mended', async () => {
  const { page, pay, id } = await program.pressed({ ...priced('usd', 1000), locale: 'de' });
  stripe.refusesPage = () => true;
  for (let times = 0; times < 2; times++) expect(await pay()).toBe(`${page}/cancel`);
  expect((await visit(`${page}/cancel`)).text).toContain('lang="de"');
  stripe.refusesPage = () => false;
  const led = await pay();
  expect(led).toBe(stripe.pagesOf(id)[0]?.url);
  expect([await pay(), stripe.pagesOf(id)]).toMatchObject([led, { length: 1 }]);
});

test('takes a payment though Stripe refuses a detail of it', async () => {
  const { pay, form } = await program.pressed({
    ...priced('usd', 1000),
    customer_email: 'ada@shop.example',
  });
  stripe.refusesPage = ({ customer_email }) => customer_email !== undefined;
  expect(await pay()).toContain('https://checkout.stripe.com/');
  expect(form()['line_items[0][price_data][product_data][name]']).toBe('Your order');
});

test('lets a customer pay again when the bank refuses a payment days later', async () => {
  const { id, page, pay } = await program.pressed();
  const first = await pay();
  const { id: at } = stripe.changePage(stripe.pagesOf(id)[0]?.id, {
    status: 'complete',
    url: null,
  });
  const is = (status: string) =>
    stripe.changePage(at, { payment_intent: { id: `pi_${id}`, status } });
  is('processing');
  expect(await pay()).toBe(`${page}/return`);
  expect(
    await program.tell('checkout.session.async_payment_failed', is('requires_payment_method')),
  ).toBe(204);
  const second = await pay();
  expect([second, await pay()]).toEqual([stripe.pagesOf(id)[1]?.url, second]);
  expect(second).not.toBe(first);
});

test('records a payment for a session that has expired', async () => {
  const { id, page, start } = await program.pressed();
  await visit(start);
  await shop.expire(id);
  expect(await program.tellPaid(id)).toBe(204);
  expect(await program.paymentsOf(id)).toMatchObject([
    { amount: 1000, mismatch: 'session_expired' },
  ]);
  expect(stateIn(await visit(`${page}/return`))).toBe('received');
});

test('leads nobody to another site or page, and nobody to Stripe without the page', async () => {
  const { id, page, start } = await program.pressed();
  const other = await program.pressed();
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
  expect((await visit(`${program.address}/pay?session=${id}`)).status).toBe(500);
  expect(stripe.pagesOf(id)).toEqual([]);
});

test('answers strangers on its public paths, and tells that it lives', async () => {
  const body = 'x'.repeat(1024 * 1024 + 1);
  expect((await visit(`${program.address}/stripe`, { method: 'POST', body })).status).toBe(413);
  expect((await visit(`${program.address}//`)).status).toBe(404);
  expect((await visit(`${program.address}/livez`)).status).toBe(204);
});
