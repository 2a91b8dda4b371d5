/** A customer in a real browser: what goes wrong in a page, and whom it asks for anything, is noticed. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A browser is unpacked and started: seconds, and more where others are at work too. */
export const PATIENCE_MS = 180_000;
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

const REPORT_VIOLATIONS =
  "addEventListener('securitypolicyviolation', (event) => console.error(event.effectiveDirective, event.blockedURI))";

export interface Customer {
  readonly page: Page;
  /** Looks that nothing went wrong but what is expected, that every request came here, and that nothing keeps anybody out. */
  expectUndisturbed(expectedFaults?: number, elsewhere?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function customerIn(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Customer> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  context.setDefaultTimeout(PATIENCE_MS / 2);
  const page = await context.newPage();
  const faults: string[] = [];
  const hosts = new Set<string>();
  page.on('request', (sent) => hosts.add(new URL(sent.url()).origin));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  if (options.javaScriptEnabled !== false) await page.addInitScript({ content: REPORT_VIOLATIONS });
  return {
    page,
    expectUndisturbed: async (expectedFaults = 0, elsewhere = []) => {
      expect(faults).toHaveLength(expectedFaults);
      expect([...hosts].filter((host) => !elsewhere.includes(host))).toEqual([url]);
      if (options.javaScriptEnabled === false) return;
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()?.width);
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

/** A payment provider that knows what real ones know: the addresses that it was given. Any other path of it is the shop's. */
export async function startProvider(): Promise<Provider> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://provider');
    const link = (way: string) => `<a href="${searchParams.get(way)}">${way}</a>`;
    // As a payment address does that makes a page at a provider for each payment.
    if (pathname === '/start') return response.writeHead(303, { location: `${origin}/pay?${searchParams}` }).end();
    const page = pathname === '/pay' ? `<h1>Provider</h1>${link('return')} ${link('cancel')}` : '<h1>Shop</h1>';
    return response.setHeader('content-type', 'text/html').end(`<link rel="icon" href="data:,">${page}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [shop, origin] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
  return {
    shop,
    hosts: [shop, origin, 'null'],
    url: `${shop}/start?id={CHECKOUT_SESSION_ID}&return={RETURN_URL}&cancel={CANCEL_URL}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Kept for people to look at, in the folder that PAGE_SHOTS names. */
export async function keepShot(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGE_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
