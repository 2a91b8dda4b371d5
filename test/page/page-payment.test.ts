/** Customers pay on the page of a session, and are led on to the shop. */
import { describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { SMALLEST } from '../support/client.js';
import { openPage, setPaymentUrl, stateIn, submit, visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { hang, startReceiver } from '../support/receiver.js';
import { Shop } from '../support/shop.js';

/** A proxy in front of the service takes the prefix away. */
const PUBLIC_URL = 'https://pay.example/shop';
const FREE = {
  currency: 'usd',
  line_items: [
    { price_data: { currency: 'usd', unit_amount: 0, product_data: { name: 'Sample' } } },
  ],
};

const service = useService({ config: { publicUrl: `${PUBLIC_URL}/`, webhookAllowPrivate: true } });
const shop = useShop(service);

const at = (path: string) => service.url + path.replace(/^\/shop/, '');
const open = (more: object = {}) => openPage(shop, { ...SMALLEST, ...more });
const sessionOf = async (id: string) => (await shop.get(`/v1/checkout_sessions/${id}`)).body;
const expire = (id: string) =>
  service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(id)]);

describe('a session', () => {
  test('is paid on its page', async () => {
    const { id, path } = await open({
      success_url: 'https://shop.example/thanks?id={CHECKOUT_SESSION_ID}',
    });
    const page = await visit(at(path));
    expect([page.status, stateIn(page)]).toEqual([200, 'open']);
    const started = await submit(at(`${path}/pay`));
    expect([started.status, started.location]).toEqual([303, `${path}/pretend`]);
    expect(stateIn(await visit(at(path)))).toBe('being_paid');
    expect((await visit(at(`${path}/pretend`))).status).toBe(200);
    const paid = await submit(at(`${path}/pretend/pay`));
    expect([paid.status, paid.location]).toEqual([303, `${path}/return`]);
    const back = await visit(at(`${path}/return`));
    expect([back.status, back.location]).toEqual([303, `https://shop.example/thanks?id=${id}`]);
    expect(stateIn(await visit(at(path)))).toBe('paid');
    expect(await sessionOf(id)).toMatchObject({ status: 'complete', payment_status: 'paid' });
    const payments = (await shop.get(`/v1/payments?checkout_session=${id}`)).body.data;
    expect(payments).toEqual([
      expect.objectContaining({ amount: 1000, currency: 'usd', mismatch: null }),
    ]);
  });

  test('is paid once, however often Pay is pressed', async () => {
    const { id, path } = await open();
    const press = async () => (await submit(at(`${path}/pretend/pay`))).status === 303;
    await Promise.all(Array.from({ length: 8 }, () => until(press)));
    expect((await submit(at(`${path}/pretend/pay`))).location).toBe(path);
    expect((await shop.get(`/v1/payments?checkout_session=${id}`)).body.data).toHaveLength(1);
  });

  test('can be paid again when the pretend payer declines, or the customer walks away', async () => {
    const { path } = await open();
    await submit(at(`${path}/pay`));
    expect((await submit(at(`${path}/pretend/decline`))).location).toBe(`${path}/cancel`);
    expect((await visit(at(`${path}/cancel`))).text).toContain(
      'Nothing was charged by this attempt.',
    );
    expect((await submit(at(`${path}/pay`))).location).toBe(`${path}/pretend`);
    expect((await submit(at(`${path}/pretend/leave`))).location).toBe(path);
    expect((await visit(at(path))).text).toContain('<h1>Did you finish paying?</h1>');
    expect((await submit(at(`${path}/pretend/other`))).status).toBe(404);
  });

  const unmatched = (id: string, amount: number, of = shop) =>
    of.capture({ amount, checkout_session: id, on_mismatch: 'record' });
  const refund = async (payment: string, amount: number, of = shop) => {
    const { id } = (await of.propose(payment, amount)).body;
    await of.succeed(id);
    return id as string;
  };
  test('stays paid whatever else is recorded, and leads on to the shop', async () => {
    const success_url = 'https://shop.example/thanks';
    const [{ id, path }, unled] = [await open({ success_url }), await open()];
    const further = (of: { path: string }) =>
      visit(at(of.path)).then(({ text }) => text.includes('further payment'));
    for (const one of [id, unled.id]) {
      const matching = await shop.capture({ amount: 1000, checkout_session: one });
      // There are more than two payments, because the one that completed the session is the oldest.
      for (const amount of [1000, 999, 1]) await unmatched(one, amount);
      if (one === id) expect((await visit(at(path))).text).toContain(matching);
    }
    expect((await visit(at(`${path}/return`))).location).toBe(success_url);
    for (const rest of ['', '/cancel']) {
      const page = await visit(at(path + rest));
      expect([stateIn(page), page.text.includes(`href="${success_url}"`)]).toEqual(['paid', true]);
      expect(page.text).toContain(
        'has received a further payment for this order and will be in touch about it.',
      );
    }
    expect(stateIn(await visit(at(`${unled.path}/return`)))).toBe('paid');
    const { data } = (await shop.get(`/v1/payments?checkout_session=${id}`)).body;
    for (const { id: payment, amount } of data.slice(0, 3)) {
      expect(await further({ path })).toBe(true);
      await refund(payment, amount);
    }
    expect([await further({ path }), await further(unled)]).toEqual([false, true]);
  });

  test.each(['test', 'live'] as const)(
    'can be paid again in %s mode once the wrong payment is back',
    async (mode) => {
      const of = mode === 'live' ? await shop.in('live', service) : shop;
      const { id, path } = await openPage(of, SMALLEST);
      await setPaymentUrl(service, of, 'https://psp.example/{CHECKOUT_SESSION_ID}');
      const state = async (rest = '') => stateIn(await visit(at(path + rest)));
      const wrong = await unmatched(id, 900, of);
      await refund(wrong, 899, of);
      const pending = (await of.propose(wrong, 1)).body.id;
      expect([await state(), (await submit(at(`${path}/pay`))).location]).toEqual([
        'received',
        path,
      ]);
      await of.succeed(pending);
      const page = await visit(at(path));
      expect([stateIn(page), page.text.includes('has refunded your payment.')]).toEqual([
        'open',
        true,
      ]);
      expect((await submit(at(`${path}/pay`))).location).toBe(`https://psp.example/${id}`);
      // The money counts again when it comes back to the shop.
      await of.return(pending);
      expect(await state('/return')).toBe('received');
      await refund(wrong, 1, of);
      expect(await state('/return')).toBe('being_paid');
      const { id: payment } = (await of.record({ amount: 1000, checkout_session: id })).body;
      const paid = await visit(at(path));
      expect([
        stateIn(paid),
        paid.text.includes('refunded'),
        paid.text.includes('further'),
      ]).toEqual(['paid', false, false]);
      await refund(payment, 1000, of);
      expect((await visit(at(path))).text).toContain('has refunded your payment.');
    },
  );

  test('shows after two minutes that no payment was heard of', async () => {
    const { path } = await open();
    const told = async (query: string) => (await visit(at(`${path}/return${query}`))).text;
    const confirmed = 'Your payment is being confirmed';
    for (const query of ['', '?waited=119', '?waited=x', '?waited=1&waited=2'])
      expect(await told(query)).toContain(confirmed);
    expect(await told('?waited=100')).toContain(`content="2;url=${path}/return?waited=102"`);
    for (const query of ['?waited=120', '?waited=1e999'])
      expect(await told(query)).not.toContain(confirmed);
  });

  test('cannot be paid if it expires while its page is open, and the page says so', async () => {
    const { id, path } = await open({ cancel_url: 'https://shop.example/cart' });
    await expire(id);
    for (const step of ['pay', 'pretend/pay', 'pretend/transfer']) {
      expect((await submit(at(`${path}/${step}`))).location).toBe(path);
    }
    const page = await visit(at(path));
    expect([stateIn(page), page.text.includes('href="https://shop.example/cart"')]).toEqual([
      'expired',
      true,
    ]);
    expect((await shop.get(`/v1/payments?checkout_session=${id}`)).body.data).toEqual([]);
  });

  test('is completed on the page if its total is 0', async () => {
    const { id, path } = await openPage(shop, {
      ...FREE,
      success_url: 'https://shop.example/thanks',
    });
    expect(stateIn(await visit(at(path)))).toBe('nothing_to_pay');
    expect((await submit(at(`${path}/pay`))).location).toBe(`${path}/return`);
    expect(await sessionOf(id)).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
    });
    expect((await visit(at(`${path}/return`))).location).toBe('https://shop.example/thanks');
    expect((await submit(at(`${path}/pay`))).location).toBe(path);
  });

  test('is not changed by a GET on any of its links', async () => {
    const { id, path } = await open();
    const before = await sessionOf(id);
    const paths = [
      '',
      '/return',
      '/state',
      '/pretend',
      '/pay',
      '/pretend/pay',
      '/pretend/transfer',
      '/embed',
    ];
    for (const rest of paths) await visit(at(path + rest));
    expect(await sessionOf(id)).toEqual(before);
    expect(stateIn(await visit(at(path)))).toBe('open');
  });

  test('cannot be paid by the pretend payment provider in live mode', async () => {
    const live = await Shop.open(service, { mode: 'live' });
    const { path } = await openPage(live, SMALLEST);
    const page = await visit(at(path));
    expect([stateIn(page), /TEST|<form/.test(page.text)]).toEqual(['open', false]);
    expect((await submit(at(`${path}/pay`))).location).toBe(path);
    expect((await visit(at(`${path}/pretend`))).status).toBe(404);
    expect((await submit(at(`${path}/pretend/pay`))).status).toBe(404);
  });
});

describe('the page of a paid session', () => {
  test('waits until the merchant acknowledges the completed session', async () => {
    const receiver = await startReceiver();
    const { id, path } = await open({
      success_url: 'https://shop.example/thanks',
      notify_url: receiver.url,
    });
    await submit(at(`${path}/pretend/pay`));
    await until(async () => (await visit(at(`${path}/return`))).status === 303);
    const [payment] = await shop.idsOf(`/v1/payments?checkout_session=${id}`);
    const events = () => receiver.received.map(({ text }) => JSON.parse(text));
    // The page waits for five seconds at most, but a busy machine may take longer.
    await until(() => events().some(({ type }) => type === 'checkout.session.completed'));
    expect(events().filter(({ data }) => ![id, payment].includes(data.object.id))).toEqual([]);
    await receiver.close();
  });

  test('waits five seconds for a merchant that does not answer', async () => {
    const receiver = await startReceiver(hang);
    const { path } = await open({
      success_url: 'https://shop.example/thanks',
      notify_url: receiver.url,
    });
    const started = performance.now();
    await submit(at(`${path}/pretend/pay`));
    await until(async () => {
      const visited = await visit(at(`${path}/return`));
      if (visited.status === 200) expect(stateIn(visited)).toBe('being_settled');
      return visited.status === 303;
    });
    expect(performance.now() - started).toBeGreaterThan(4_900);
    await receiver.close();
  });
});
