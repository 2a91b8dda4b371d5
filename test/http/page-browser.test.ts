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
    declined: async () => `${(await openPage(shop, CART)).path}?declined`,
    being_paid: async () => {
      const { path } = await openPage(shop, CART);
      await fetch(`${service.url}${path}/pay`, { method: 'POST', redirect: 'manual' });
      return path;
    },
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
    missing: async () => '/c/nothing',
    arabic: async () => (await openPage(shop, { ...CART, locale: 'ar-EG' })).path,
    japanese: async () => (await openPage(shop, { ...CART, locale: 'ja' })).path,
    german: async () => (await openPage(shop, { ...CART, locale: 'de-DE' })).path,
  };

  describe.each(Object.keys(STATES))('%s', (state) => {
    test.each([
      ['desktop', { viewport: DESKTOP }],
      ['phone', { viewport: PHONE }],
      ['dark', { viewport: PHONE, colorScheme: 'dark' as const }],
    ])(
      '%s',
      async (name, options) => {
        const customer = await customerIn(opened.browser, service.url, options);
        const path = await (STATES[state] as () => Promise<string>)();
        await customer.page.goto(`${service.url}${path}`);
        await keepShot(customer.page, `${state}-${name}`);
        if (state === 'missing') return customer.close();
        await customer.expectUndisturbed();
        await customer.close();
        expect(path).toBeDefined();
      },
      PATIENCE_MS,
    );
  });
});
