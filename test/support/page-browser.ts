/**
 * A customer uses a real browser. The tests notice what goes wrong in a page, and every address
 * that the page asks.
 */
import { createServer } from 'node:http';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listen } from './sockets.js';

const line = (name: string, unit_amount: number, more: object = {}, description?: string) => ({
  price_data: {
    currency: 'eur',
    unit_amount,
    product_data: { name, ...(description && { description }) },
  },
  ...more,
});

export const CART = {
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
export const NAME = 'Paper & Ink';
export const FREE = { ...CART, amount_shipping: 0, line_items: [line('Sample', 0)] };

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

const REPORT_VIOLATIONS =
  "addEventListener('securitypolicyviolation', (event) => console.error(event.effectiveDirective, event.blockedURI))";

export interface Customer {
  readonly page: Page;
  /** The list has everything that went wrong. */
  readonly faults: readonly string[];
  /** The set has every address that was asked for. */
  readonly requested: ReadonlySet<string>;
  /**
   * Expects that nothing went wrong, that every request came to this service, and that the page is
   * accessible.
   */
  expectUndisturbed(elsewhere?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function customerIn(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Customer> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  // This limit ends a wait before the limit of the test does, so that the error names what was
  // awaited.
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  const faults: string[] = [];
  const requested = new Set<string>();
  page.on('request', (sent) => requested.add(sent.url()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  if (options.javaScriptEnabled !== false) await page.addInitScript({ content: REPORT_VIOLATIONS });
  return {
    page,
    faults,
    requested,
    expectUndisturbed: async (elsewhere = []) => {
      expect(faults).toEqual([]);
      const hosts = new Set([...requested].map((sent) => new URL(sent).origin));
      expect([...hosts].filter((host) => !elsewhere.includes(host))).toEqual([url]);
      if (options.javaScriptEnabled === false) return;
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
        page.viewportSize()?.width,
      );
    },
    close: () => context.close(),
  };
}

export interface Provider {
  /** The shop's origin is another one than the provider's. */
  readonly shop: string;
  readonly hosts: readonly string[];
  /**
   * The payment URL is an address of the provider, with the addresses to which it sends customers
   * back.
   */
  readonly url: string;
  close(): void;
}

/**
 * Starts a payment provider that knows what real ones know, which are the addresses that it was
 * given. Like real ones, it refuses to be framed. All of its other paths are the shop's.
 */
export async function startProvider(): Promise<Provider> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://provider');
    const link = (way: string) => `<a href="${searchParams.get(way)}">${way}</a>`;
    // A payment address that makes a page at a provider for each payment does the same.
    if (pathname === '/start')
      return response.writeHead(303, { location: `${origin}/pay?${searchParams}` }).end();
    if (pathname === '/pay') response.setHeader('x-frame-options', 'DENY');
    const page =
      pathname === '/pay'
        ? `<h1>Provider</h1>${link('return')} ${link('cancel')}`
        : '<h1>Shop</h1>';
    return response
      .setHeader('content-type', 'text/html')
      .end(`<link rel="icon" href="data:,">${page}`);
  });
  const port = await listen(server);
  const [shop, origin] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
  return {
    shop,
    hosts: [shop, origin, 'null'],
    url: `${shop}/start?id={CHECKOUT_SESSION_ID}&return={RETURN_URL}&cancel={CANCEL_URL}`,
    close: () => server.close().closeAllConnections(),
  };
}
