/**
 * The page runs in a frame of the shop's page, in a real browser. The tests show which origins may
 * show it, and which messages it sends.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Frame, Page } from 'playwright-core';
import { PublicUrl } from '../../src/request/public-url.js';
import { useService, useShop } from '../kit/setup.js';
import { describeInChromium } from '../support/browser.js';
import { SMALLEST } from '../support/client.js';
import { openPage, setPaymentUrl, submit, visit } from '../support/page.js';
import { customerIn, type Provider, startProvider } from '../support/page-browser.js';
import { listen } from '../support/sockets.js';
import { createKey } from '../support/tenants.js';

const EXAMPLE = readFileSync('docs/guides/embedded-page.html', 'utf8');
const SILENT = EXAMPLE.replace(/.*location\.assign.*\n/, '');
const LISTEN = `<script>const messages = []; addEventListener('message', ({ data }) => messages.push(data.type));</script>`;

/** Starts a server of the shop with the example of the documentation. */
async function startShopPages() {
  let shown = '';
  let isolation: Readonly<Record<string, string>> = {};
  /** Counts how often each address was asked for. */
  const visits: Record<string, number> = {};
  const server = createServer(({ url = '' }, response) => {
    visits[url] = (visits[url] ?? 0) + 1;
    response.setHeader('content-type', 'text/html');
    response.setHeaders(new Map(Object.entries(isolation)));
    response.end(url === '/' ? LISTEN + shown : '<h1>Done</h1>');
  });
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    visits,
    show: (embedUrl: string, example: string) => {
      shown = example.replace('EMBED_URL', embedUrl);
    },
    isolate: (headers: Readonly<Record<string, string>>) => {
      isolation = headers;
    },
    close: () => server.close().closeAllConnections(),
  };
}

const service = useService({ config: { publicUrl: 'https://pay.example' } });
const shop = useShop(service);
let pages: Awaited<ReturnType<typeof startShopPages>>;
let provider: Provider;

beforeAll(async () => {
  service.application.get(PublicUrl).value = service.url;
  [pages, provider] = [await startShopPages(), await startProvider()];
});

afterAll(() => {
  pages.close();
  provider.close();
});

const allow = (...allowedOrigins: string[]) =>
  createKey(service, { organization: shop.organization, allowedOrigins });
const embedded = (more: object = {}) =>
  openPage(shop, {
    ...SMALLEST,
    ui_mode: 'embedded',
    return_url: `${pages.origin}/done?id={CHECKOUT_SESSION_ID}`,
    ...more,
  });

test("allows only the origins of its mode's active keys to show the page", async () => {
  const { path } = await embedded();
  const ancestors = async (rest: string) =>
    /frame-ancestors ([^;]+)$/.exec(
      (await visit(`${service.url}${path}${rest}`)).headers.get('content-security-policy') ?? '',
    )?.[1];
  expect(await ancestors('/embed')).toBe("'none'");
  await allow('https://shop.example', pages.origin);
  await createKey(service, {
    organization: shop.organization,
    mode: 'live',
    allowedOrigins: ['https://live.example'],
  });
  for (const [origin, end] of [
    ['https://revoked.example', 'revoked_at'],
    ['https://expired.example', 'expires_at'],
  ] as const) {
    await allow(origin);
    await service.sql.query(
      `UPDATE api_keys SET ${end} = now() - interval '1 second' WHERE $1 = ANY (allowed_origins)`,
      [origin],
    );
  }
  for (const rest of ['/embed', '/embed/return']) {
    expect(await ancestors(rest)).toBe(`${pages.origin} https://shop.example`);
  }
  for (const rest of ['', '/pretend', '/return']) expect(await ancestors(rest)).toBe("'none'");
});

test('lets cross-origin isolated pages show the embedded page, and not the hosted one', async () => {
  const { path } = await embedded();
  const policies = async (rest: string) => {
    const { headers } = await visit(`${service.url}${path}${rest}`);
    const names = ['cross-origin-embedder-policy', 'cross-origin-resource-policy'];
    return names.map((name) => headers.get(name));
  };
  for (const rest of ['/embed', '/embed/return']) {
    expect(await policies(rest)).toEqual(['require-corp', 'cross-origin']);
  }
  for (const rest of ['', '/return', '/pretend'])
    expect(await policies(rest)).toEqual([null, null]);
});

test('never shows a hosted page in a frame', async () => {
  await allow(pages.origin);
  const { path } = await openPage(shop, SMALLEST);
  for (const rest of ['/embed', '/embed/return', '/embed/state']) {
    expect((await visit(`${service.url}${path}${rest}`)).status).toBe(404);
  }
});

describeInChromium('an embedded page in Chromium', (browser) => {
  let page: Page;

  beforeEach(async () => {
    pages.isolate({});
    ({ page } = await customerIn(browser(), service.url));
  });

  async function show(path: string, example = EXAMPLE): Promise<Frame> {
    pages.show(`${service.url}${path}/embed`, example);
    await page.goto(pages.origin);
    const frame = page.frames()[1];
    if (!frame) throw new Error('There is no frame.');
    return frame;
  }

  test('leaves the frame for a provider that refuses it, and leads the customer back to the shop', async () => {
    await allow(pages.origin);
    await setPaymentUrl(service, shop, provider.url);
    const { id, path } = await embedded();
    const frame = await show(path);
    await frame.getByRole('button', { name: /^Pay/ }).waitFor();
    await page.waitForFunction("messages.includes('resized')");
    expect(await page.evaluate('messages[0]')).toBe('loaded');
    const height = await frame.evaluate('document.documentElement.offsetHeight');
    await page.waitForFunction(`document.getElementById('checkout').offsetHeight === ${height}`);
    await frame.getByRole('button', { name: /^Pay/ }).click();
    await page.getByRole('heading', { name: 'Provider' }).waitFor();
    expect(page.frames()).toHaveLength(1);
    await page.getByRole('link', { name: 'cancel' }).click();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await shop.record({ amount: 1000, checkout_session: id });
    await page.getByRole('link', { name: 'return' }).click();
    await page.waitForURL(`${pages.origin}/done?id=${id}`);
    expect(pages.visits[`/done?id=${id}`]).toBe(1);
  });

  test.each(['require-corp', 'credentialless'])(
    'is shown by a page that is isolated by %s, and tells it of the payment',
    async (policy) => {
      await allow(pages.origin);
      pages.isolate({
        'cross-origin-embedder-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
      });
      const { id, path } = await embedded();
      const frame = await show(path);
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      await frame.getByRole('button', { name: /^Pay/ }).waitFor();
      await shop.record({ amount: 1000, checkout_session: id });
      await page.waitForURL(`${pages.origin}/done?id=${id}`);
    },
  );

  test('tells that the money is on its way', async () => {
    await allow(pages.origin);
    const { id, path } = await embedded();
    await shop.post(`/v1/test_helpers/checkout_sessions/${id}/await_payment`, {
      until: Math.floor(Date.now() / 1000) + 86_400,
    });
    const frame = await show(path);
    await frame.getByRole('heading', { name: 'Your payment is on its way' }).waitFor();
    await page.waitForFunction("messages.includes('processing')");
    expect(await frame.getByRole('button').count()).toBe(0);
  });

  test('goes on by itself after the payment if the shop does not', async () => {
    await allow(pages.origin);
    const { id, path } = await embedded();
    await submit(`${service.url}${path}/pay`);
    const frame = await show(path, SILENT);
    await frame.getByRole('link', { name: 'Yes, I have paid' }).click();
    await page.waitForFunction("messages.includes('processing') && !messages.includes('complete')");
    await shop.record({ amount: 1000, checkout_session: id });
    await page.waitForURL(`${pages.origin}/done?id=${id}`);
    expect(pages.visits[`/done?id=${id}`]).toBe(1);
  });

  test('sends that it has expired', async () => {
    await allow(pages.origin);
    const { id, path } = await embedded();
    await shop.expire(id);
    await show(path);
    await page.waitForFunction("messages.includes('expired')");
  });

  test('is not shown by an origin that no key lists, and sends it no messages', async () => {
    await allow('https://shop.example');
    const { path } = await embedded();
    const refused = page.waitForEvent('console', (message) =>
      message.text().includes('frame-ancestors'),
    );
    await show(path).catch(() => undefined);
    await refused;
    expect(await page.evaluate('messages')).toEqual([]);
  });
});
