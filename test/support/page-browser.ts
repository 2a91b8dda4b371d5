/** A customer in a real browser: what goes wrong in a page, and whom it asks for anything, is noticed. */
import { createServer } from 'node:http';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listen } from './sockets.js';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

const REPORT_VIOLATIONS =
  "addEventListener('securitypolicyviolation', (event) => console.error(event.effectiveDirective, event.blockedURI))";

export interface Customer {
  readonly page: Page;
  /** What went wrong. */
  readonly faults: readonly string[];
  /** Every address that was asked for. */
  readonly requested: ReadonlySet<string>;
  /** Looks that nothing went wrong, that every request came here, and that nothing keeps anybody out. */
  expectUndisturbed(elsewhere?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function customerIn(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Customer> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  // Before the test's own limit ends it, so that what was awaited is named.
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
  /** The shop's origin, which is another than the provider's. */
  readonly shop: string;
  readonly hosts: readonly string[];
  /** The payment URL: an address of the provider with the addresses that it sends customers back to. */
  readonly url: string;
  close(): void;
}

/** A payment provider that knows what real ones know, the addresses that it was given, and refuses to be framed as they do. Any other path of it is the shop's. */
export async function startProvider(): Promise<Provider> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://provider');
    const link = (way: string) => `<a href="${searchParams.get(way)}">${way}</a>`;
    // As a payment address does that makes a page at a provider for each payment.
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
