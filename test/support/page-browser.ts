/** A customer in a real browser: what goes wrong in a page, and whom it asks for anything, is noticed. */
import { mkdirSync } from 'node:fs';
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
  expectUndisturbed(expectedFaults?: number): Promise<void>;
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
    expectUndisturbed: async (expectedFaults = 0) => {
      expect(faults).toHaveLength(expectedFaults);
      expect([...hosts]).toEqual([url]);
      if (options.javaScriptEnabled === false) return;
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()?.width);
    },
    close: () => context.close(),
  };
}

/** Kept for people to look at, in the folder that PAGE_SHOTS names. */
export async function keepShot(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGE_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
