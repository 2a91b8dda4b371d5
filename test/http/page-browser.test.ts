/** The page in a real browser, in each of its states. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { HAS_CHROMIUM, type OpenBrowser, openBrowser } from '../support/browser.js';
import { openPage } from '../support/page.js';
import { customerIn, DESKTOP, keepShot, PATIENCE_MS, PHONE } from '../support/page-browser.js';
import { type Service, startService } from '../support/service.js';
import { Shop } from '../support/shop.js';

const line = (name: string, unit_amount: number, more: object = {}, description?: string) => ({
  price_data: { currency: 'eur', unit_amount, product_data: { name, ...(description && { description }) } },
  ...more,
});

const CART = {
  currency: 'eur',
  description: 'Order 4711',
  cancel_url: 'https://shop.example/cart',
  success_url: 'https://shop.example/thanks',
  amount_shipping: 490,
  line_items: [
    line('Notebook', 1250, { quantity: 2, amount_tax: 399 }, 'A5, dotted, 192 pages'),
    line('Fountain pen', 7900, { amount_discount: 790, amount_tax: 1135 }),
  ],
};
const FREE = { ...CART, amount_shipping: 0, line_items: [line('Sample', 0)] };

const reason = HAS_CHROMIUM ? '' : ' (skipped: no Chromium found, name one in CHROMIUM_PATH)';

(HAS_CHROMIUM ? describe : describe.skip)(`the page in Chromium${reason}`, () => {
  let service: Service;
  let shop: Shop;
  let opened: OpenBrowser;

  beforeAll(async () => {
    service = await startService({ config: { publicUrl: 'https://pay.example' } });
    opened = await openBrowser();
  }, PATIENCE_MS);

  beforeEach(async () => {
    shop = await Shop.open(service);
    await service.sql.query(`UPDATE organizations SET name = 'Paper & Ink'`);
  });

  afterAll(async () => {
    await opened.close();
    await service.close();
  });

  const expire = (id: string) =>
    service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [uuidOf(id)]);

  const STATES: Readonly<Record<string, () => Promise<string>>> = {
    open: async () => (await openPage(shop, CART)).path,
    nothing_to_pay: async () => (await openPage(shop, FREE)).path,
    declined: async () => `${(await openPage(shop, CART)).path}/cancel`,
    being_paid: async () => {
      const { path } = await openPage(shop, CART);
      await fetch(`${service.url}${path}/pay`, { method: 'POST', redirect: 'manual' });
      return path;
    },
    returned: async () => `${(await openPage(shop, CART)).path}/return`,
    pretend: async () => `${(await openPage(shop, CART)).path}/pretend`,
    paid: async () => {
      const { path } = await openPage(shop, CART);
      await fetch(`${service.url}${path}/pretend/pay`, { method: 'POST', redirect: 'manual' });
      return path;
    },
    expired: async () => {
      const { id, path } = await openPage(shop, CART);
      await expire(id);
      return path;
    },
    received: async () => {
      const { id, path } = await openPage(shop, { ...CART, locale: 'de' });
      await expire(id);
      await shop.record({ amount: 1, currency: 'eur', checkout_session: id, on_mismatch: 'record' });
      return path;
    },
    missing: async () => '/c/nothing',
    arabic: async () => (await openPage(shop, { ...CART, locale: 'ar-EG' })).path,
  };

  describe.each(Object.keys(STATES))('%s', (state) => {
    test.each([
      ['desktop', { viewport: DESKTOP }],
      ['phone', { viewport: PHONE, colorScheme: 'dark' as const }],
    ])(
      '%s',
      async (name, options) => {
        const path = await (STATES[state] as () => Promise<string>)();
        const customer = await customerIn(opened.browser, service.url, options);
        const answer = await customer.page.goto(`${service.url}${path}`);
        await keepShot(customer.page, `${state}-${name}`);
        await customer.expectUndisturbed(answer?.status() === 404 ? 1 : 0);
        await customer.close();
      },
      PATIENCE_MS,
    );
  });

  const ask = (name: RegExp | string) => ({ name, exact: typeof name === 'string' });

  test(
    'a customer without scripts can pay, and waits',
    async () => {
      const { path } = await openPage(shop, { ...CART, success_url: null });
      const { page, expectUndisturbed, close } = await customerIn(opened.browser, service.url, {
        javaScriptEnabled: false,
        viewport: PHONE,
      });
      await page.goto(`${service.url}${path}`);
      await page.getByRole('button', ask(/^Pay/)).click();
      await page.getByRole('button', ask('Decline')).click();
      expect(await page.getByRole('alert').textContent()).toContain('Nothing was charged');
      await page.getByRole('button', ask(/^Pay/)).click();
      await page.getByRole('button', ask('Pay late')).click();
      await page.getByRole('heading', ask('Your payment is being confirmed')).waitFor();
      await page.getByRole('heading', ask('Thank you for your order')).waitFor();
      await expectUndisturbed();
      await close();
    },
    PATIENCE_MS,
  );

  test(
    'a customer pays with the keyboard only',
    async () => {
      const { id, path } = await openPage(shop, { ...CART, success_url: null });
      const { page, close } = await customerIn(opened.browser, service.url);
      const focused = () => page.evaluate('document.activeElement.textContent');
      await page.goto(`${service.url}${path}`);
      await page.keyboard.press('Tab');
      expect(await focused()).toMatch(/^Pay/);
      await page.keyboard.press('Enter');
      await page.getByRole('button', ask('Walk away')).waitFor();
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Pay');
      await page.keyboard.press('Space');
      await page.getByRole('heading', ask('Thank you for your order')).waitFor();
      expect((await shop.get(`/v1/checkout_sessions/${id}`)).body.status).toBe('complete');
      await close();
    },
    PATIENCE_MS,
  );

  test(
    'a second tab and the back button show the current state',
    async () => {
      const { path } = await openPage(shop, { ...CART, success_url: null });
      const { page, close } = await customerIn(opened.browser, service.url);
      await page.goto(`${service.url}${path}`);
      await page.getByRole('button', ask(/^Pay/)).click();
      const other = await page.context().newPage();
      await other.goto(`${service.url}${path}`);
      await other.getByRole('heading', ask('Did you finish paying?')).waitFor();
      await other.getByRole('link', ask('Yes, I have paid')).click();
      await other.getByRole('heading', ask('Your payment is being confirmed')).waitFor();
      await page.getByRole('button', ask('Pay')).click();
      for (const tab of [page, other]) await tab.getByRole('heading', ask('Thank you for your order')).waitFor();
      await page.goBack();
      // The pretend payer has nothing left to ask, and leads back to the page.
      await page.getByRole('heading', ask('Thank you for your order')).waitFor();
      await close();
    },
    PATIENCE_MS,
  );

  test(
    'an open page shows that its session has expired',
    async () => {
      const { id, path } = await openPage(shop, CART);
      const { page, close } = await customerIn(opened.browser, service.url);
      await page.goto(`${service.url}${path}`);
      await shop.expire(id);
      // As a browser tells a page that its tab is looked at again.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole('heading', ask('This page has expired')).waitFor();
      await close();
    },
    PATIENCE_MS,
  );
});
