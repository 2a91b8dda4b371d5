/** The page in a frame of the shop's page, in a real browser: which origins may show it, and which messages it sends. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Frame, Page } from 'playwright-core';
import { HAS_CHROMIUM, type OpenBrowser, openBrowser } from '../support/browser.js';
import { SMALLEST } from '../support/client.js';
import { openPage, visit } from '../support/page.js';
import { PATIENCE_MS } from '../support/page-browser.js';
import { createKey } from '../support/service.js';
import { useService, useShop } from '../support/setup.js';

const EXAMPLE = readFileSync('docs/guides/embedded-page.html', 'utf8');
const SILENT = EXAMPLE.replace(/.*location\.assign.*\n/, '');
const LISTEN = `<script>const told = []; addEventListener('message', ({ data }) => told.push(data.type));</script>`;

interface ShopPages {
  readonly origin: string;
  /** How often each address was asked for. */
  readonly visits: Readonly<Record<string, number>>;
  show(embedUrl: string, example?: string): void;
  close(): void;
}

/** The example of the documentation, on a server of the shop's. */
async function startShopPages(): Promise<ShopPages> {
  let shown = '';
  const visits: Record<string, number> = {};
  const server: Server = createServer(({ url = '' }, response) => {
    visits[url] = (visits[url] ?? 0) + 1;
    response.setHeader('content-type', 'text/html');
    response.end(url === '/' ? LISTEN + shown : '<h1>Done</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    show: (embedUrl, example = EXAMPLE) => {
      shown = example.replace('EMBED_URL', embedUrl);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const service = useService({ config: { publicUrl: 'https://pay.example' } });
const shop = useShop(service);
let pages: ShopPages;

beforeAll(async () => {
  pages = await startShopPages();
});

afterAll(() => pages.close());

const allow = (...allowedOrigins: string[]) => createKey(service, { organization: shop.organization, allowedOrigins });
const embedded = (more: object = {}) =>
  openPage(shop, {
    ...SMALLEST,
    ui_mode: 'embedded',
    return_url: `${pages.origin}/done?id={CHECKOUT_SESSION_ID}`,
    ...more,
  });

test('only the origins of the active keys of its mode may show it', async () => {
  const { path } = await embedded();
  const ancestors = async (rest: string) =>
    /frame-ancestors ([^;]+)$/.exec(
      (await visit(`${service.url}${path}${rest}`)).headers.get('content-security-policy') ?? '',
    )?.[1];
  expect(await ancestors('/embed')).toBe("'none'");
  await allow('https://shop.example', pages.origin);
  await createKey(service, { organization: shop.organization, mode: 'live', allowedOrigins: ['https://live.example'] });
  for (const rest of ['/embed', '/embed/pretend', '/embed/return']) {
    expect(await ancestors(rest)).toBe(`${pages.origin} https://shop.example`);
  }
  for (const rest of ['', '/pretend', '/return']) expect(await ancestors(rest)).toBe("'none'");
});

test('a hosted page is never shown in a frame', async () => {
  await allow(pages.origin);
  const { path } = await openPage(shop, SMALLEST);
  for (const rest of ['/embed', '/embed/return', '/embed/pretend', '/embed/state']) {
    expect((await visit(`${service.url}${path}${rest}`)).status).toBe(404);
  }
});

const reason = HAS_CHROMIUM ? '' : ' (skipped: no Chromium found, name one in CHROMIUM_PATH)';

(HAS_CHROMIUM ? describe : describe.skip)(`in Chromium${reason}`, () => {
  let opened: OpenBrowser;
  let page: Page;

  beforeAll(async () => {
    opened = await openBrowser();
  }, PATIENCE_MS);

  beforeEach(async () => {
    page = await opened.browser.newPage();
  });

  afterAll(() => opened.close());

  async function show(path: string, example?: string): Promise<Frame> {
    pages.show(`${service.url}${path}/embed`, example);
    await page.goto(pages.origin);
    const frame = page.frames()[1];
    if (!frame) throw new Error('There is no frame.');
    return frame;
  }

  test(
    'it is paid in its frame, sends its progress, and the shop navigates',
    async () => {
      await allow(pages.origin);
      const { id, path } = await embedded();
      const frame = await show(path);
      await frame.getByRole('button', { name: /^Pay/ }).waitFor();
      await page.waitForFunction("told.includes('resized')");
      expect(await page.evaluate('told[0]')).toBe('loaded');
      const height = await frame.evaluate('document.documentElement.offsetHeight');
      await page.waitForFunction(`document.getElementById('checkout').offsetHeight === ${height}`);
      await frame.getByRole('button', { name: /^Pay/ }).click();
      await frame.getByRole('button', { name: 'Pay late' }).click();
      await page.waitForFunction("told.includes('processing')");
      expect(await page.evaluate("told.includes('complete')")).toBe(false);
      await page.waitForURL(`${pages.origin}/done?id=${id}`);
      expect(pages.visits[`/done?id=${id}`]).toBe(1);
      expect((await shop.get(`/v1/checkout_sessions/${id}`)).body.status).toBe('complete');
    },
    PATIENCE_MS,
  );

  test(
    'paid in its frame, it navigates by itself if the shop does not',
    async () => {
      await allow(pages.origin);
      const { id, path } = await embedded();
      const frame = await show(path, SILENT);
      await frame.getByRole('button', { name: /^Pay/ }).click();
      await frame.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.waitForURL(`${pages.origin}/done?id=${id}`);
      expect(pages.visits[`/done?id=${id}`]).toBe(1);
    },
    PATIENCE_MS,
  );

  test(
    'it sends that it has expired',
    async () => {
      await allow(pages.origin);
      const { id, path } = await embedded();
      await shop.expire(id);
      await show(path);
      await page.waitForFunction("told.includes('expired')");
    },
    PATIENCE_MS,
  );

  test(
    'an origin that no key lists cannot show it, and gets no messages',
    async () => {
      await allow('https://shop.example');
      const { path } = await embedded();
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
      await show(path).catch(() => undefined);
      await refused;
      expect(await page.evaluate('told')).toEqual([]);
    },
    PATIENCE_MS,
  );
});
