/**
 * The reference page at /docs is sent with everything that it needs, and is opened in a real
 * browser.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { ask as send } from '../support/ask.js';
import { describeInChromium } from '../support/browser.js';
import { DOCUMENT } from '../support/document.js';
import { type Customer, customerIn, DESKTOP, PHONE } from '../support/page-browser.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const FILES: readonly [path: string, type: string, name: string][] = [
  ['/docs', 'text/html; charset=utf-8', 'index.html'],
  ['/docs/start.js', SCRIPT, 'start.js'],
  ['/docs/scalar.js', SCRIPT, 'scalar.js'],
  ['/docs/icon.svg', 'image/svg+xml', 'icon.svg'],
  ['/llms.txt', 'text/plain; charset=utf-8', 'llms.txt'],
  ['/llms-full.txt', 'text/plain; charset=utf-8', 'llms-full.txt'],
  ['/docs/start/glossary.md', 'text/markdown; charset=utf-8', 'docs/start/glossary.md'],
];

const POLICY = [
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'unsafe-inline'",
  "require-trusted-types-for 'script'; trusted-types vue",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

const service = useService();

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const answer = await send(service.url + path, { headers, method });
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _keepAlive,
    ...rest
  } = answer.headers;
  return { ...answer, headers: rest };
}

const packed = (name: string): Buffer => readFileSync(`dist/reference/${name}.gz`);

const HEADERS = {
  'request-id': expect.stringMatching(/^req_[0-9a-f-]{36}$/),
  'cache-control': 'public, max-age=300',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
};

describe.each(FILES)('the file %s', (path, type, name) => {
  const compressed = {
    ...HEADERS,
    'content-type': type,
    'content-encoding': 'gzip',
    'content-length': String(packed(name).length),
  };

  test.each(['gzip', 'deflate, GZIP;q=0.5', 'gzip;q=0.001, *;q=0'])(
    'is sent compressed for %s',
    async (encodings) => {
      const { status, headers, bytes } = await ask(path, { 'accept-encoding': encodings });
      expect([status, headers]).toEqual([200, compressed]);
      expect(bytes.equals(packed(name))).toBe(true);
    },
  );

  test.each([{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip; q=0.0, br' }])(
    'is sent uncompressed for %j',
    async (accepted) => {
      const { status, headers, bytes } = await ask(path, accepted as Record<string, string>);
      const unpacked = gunzipSync(packed(name));
      const length = { 'content-type': type, 'content-length': String(unpacked.length) };
      expect([status, headers]).toEqual([200, { ...HEADERS, ...length }]);
      expect(bytes.equals(unpacked)).toBe(true);
    },
  );

  test('is sent without its body for HEAD', async () => {
    const { status, headers, bytes } = await ask(path, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([status, headers, bytes.length]).toEqual([200, compressed, 0]);
  });

  test('is not found by other methods, or refuses them', async () => {
    const { status, headers } = await ask(path, {}, 'POST');
    // One route serves all documents, so it cannot know the methods of a single one.
    const isDocument = path.endsWith('.md');
    expect([status, headers.allow]).toEqual(isDocument ? [404, undefined] : [405, 'GET, HEAD']);
  });
});

test('no file of the page names another host than this machine', () => {
  const others = ['index.html', 'start.js', 'icon.svg'].flatMap((name) =>
    [
      ...String(gunzipSync(packed(name))).matchAll(
        /\b[a-z]+:\/\/[^\s"'<]+|(?:src|href)="\/\/[^"]+/g,
      ),
    ].map(String),
  );
  expect(others).toEqual(['http://127.0.0.1:3000', 'http://www.w3.org/2000/svg']);
});

test('an unknown file is not found', async () => {
  expect((await ask('/docs/other.js')).status).toBe(404);
});

const ALL_OF_IT = ['/docs', '/docs/scalar.js', '/docs/start.js', '/openapi.json'];

type Methods = Readonly<Record<string, { readonly summary: string }>>;

/**
 * Each operation has the end of its address in the page. Webhooks, which have a name in place of a
 * path, are among them; the page writes the name with hyphens.
 */
const OPERATIONS = Object.entries<Methods>({ ...DOCUMENT.paths, ...DOCUMENT.webhooks }).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => {
      const named = path.startsWith('/') ? path : `/${path.replaceAll('_', '-')}`;
      return { place: `/${method.toUpperCase()}${named}`, path, summary };
    }),
);

describeInChromium('in Chromium', (browser) => {
  async function read(viewport: typeof DESKTOP): Promise<Customer> {
    const reader = await customerIn(browser(), service.url, { viewport });
    await reader.page.goto(`${service.url}/docs`);
    await reader.page.getByRole('heading', { name: 'Tillgate', exact: true }).waitFor();
    return reader;
  }

  // It takes a second to render an operation, and all are rendered in the same way, so the test
  // opens some.
  test.each([
    [DESKTOP, 6],
    [PHONE, 24],
  ])(
    'the page lists all operations without an error at %j, and shows one of %j',
    async (viewport, every) => {
      const { page, faults, requested, close } = await read(viewport);
      for (const [at, { place, path, summary }] of OPERATIONS.entries()) {
        const link = page.locator(`aside a[href^="#tag/"][href$="${place}"]`);
        expect(await link.textContent()).toContain(summary);
        if (at % every !== 0) continue;
        // The page renders an operation when the reader comes near it.
        await page.evaluate(`location.assign('${await link.getAttribute('href')}')`);
        const section = page.locator(`section[id$="${place}"]`);
        await section.getByRole('heading', { name: summary, exact: true }).waitFor();
        await section.getByText(path, { exact: true }).first().waitFor();
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      expect(await page.locator('pre').first().textContent()).toContain(
        `curl ${service.url}/v1/checkout_sessions`,
      );
      expect(faults).toEqual([]);
      // Only a browser with a window requests the icon.
      const asked = [...requested].filter((url) => !url.endsWith('/docs/icon.svg'));
      expect(asked.sort()).toEqual(ALL_OF_IT.map((path) => service.url + path));
      await close();
    },
  );
});
