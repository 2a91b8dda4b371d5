/**
 * The site of the documents: each link and anchor leads somewhere, and six pages are opened in a
 * real browser.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInChromium } from '../support/browser.js';
import { customerIn, DESKTOP, PHONE } from '../support/page-browser.js';
import { listen } from '../support/sockets.js';

const SITE = 'dist/docs';
const MINUTES = 60_000;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** These are the paths of all files of the site. */
let files: ReadonlySet<string>;

beforeAll(() => {
  execFileSync('npm', ['run', '--silent', 'docs'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const names = readdirSync(SITE, { recursive: true, encoding: 'utf8' });
  files = new Set(names.filter((name) => statSync(join(SITE, name)).isFile()));
}, 10 * MINUTES);

/** The file that an address of the site shows. */
function fileOf(address: string): string {
  const path = decodeURIComponent(new URL(address, 'http://site').pathname).slice(1);
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

const read = (file: string) => readFileSync(join(SITE, file), 'utf8');
const entities = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'");
const addressesIn = (html: string) =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address]) => entities(address ?? ''));

test('every link and anchor of every page leads to something', () => {
  const pages = [...files].filter((file) => file.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(50);
  const ids = new Map<string, Set<string>>();
  for (const page of pages) {
    const found = [...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => entities(id ?? ''));
    ids.set(page, new Set(found));
  }
  const dead: string[] = [];
  let followed = 0;
  // The page for what is not found links to where it was asked for.
  for (const page of pages.filter((page) => page !== '404.html')) {
    for (const address of addressesIn(read(page))) {
      if (/^[a-z]+:/.test(address)) continue;
      followed += 1;
      const url = new URL(address, `http://site/${page}`);
      const [file, anchor] = [fileOf(url.href), decodeURIComponent(url.hash.slice(1))];
      const hasAnchor = anchor === '' || ids.get(file)?.has(anchor);
      if (!files.has(file) || !hasAnchor) dead.push(`${page}: ${address}`);
    }
  }
  expect(dead).toEqual([]);
  expect(followed).toBeGreaterThan(1_000);
});

test('every link of every page for programs leads to something', () => {
  const texts = [...files].filter((file) => file.endsWith('.md') || file === 'llms.txt');
  expect(texts.length).toBeGreaterThan(50);
  const dead = texts.flatMap((text) =>
    [...read(text).matchAll(/\]\((?!\w+:)([^)#\s]+)/g)]
      .map(([, link]) => link as string)
      .filter((link) => !/\.(png|svg)$/.test(link) && link !== '/docs')
      .filter((link) => !files.has(fileOf(new URL(link, `http://site/${text}`).href)))
      .map((link) => `${text}: ${link}`),
  );
  expect(dead).toEqual([]);
});

const PAGES: readonly [path: string, heading: string][] = [
  ['/', 'Tillgate'],
  ['/docs/start/quick-start.html', 'Quick start'],
  ['/docs/start/recipes.html', 'Recipes'],
  ['/docs/guides/refunds-and-the-ledger.html', 'Refunds and the ledger'],
  ['/docs/operate/deploying.html', 'Deploying'],
  ['/docs/explain/performance.html', 'Performance'],
];

describeInChromium('in Chromium', (browser) => {
  const server = createServer((request, response) => {
    const file = fileOf(request.url ?? '');
    const found = files.has(file);
    response.writeHead(found ? 200 : 404, {
      'content-type': TYPES[extname(file)] ?? 'text/plain',
    });
    response.end(found ? readFileSync(join(SITE, file)) : '');
  });
  let url: string;

  beforeAll(async () => {
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  afterAll(() => void server.close().closeAllConnections());

  test.each(PAGES)('%s has no fault, on a desktop and on a phone', async (path, heading) => {
    for (const options of [
      { viewport: DESKTOP },
      { viewport: PHONE, colorScheme: 'dark' as const },
    ]) {
      const { page, expectUndisturbed, close } = await customerIn(browser(), url, options);
      await page.goto(url + path);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      const isDrawn = 'document.querySelectorAll("pre.diagram").length === 0';
      await page.waitForFunction(isDrawn);
      await expectUndisturbed();
      await close();
    }
  });

  test('the search finds a page by a word in it', async () => {
    const { page, faults, close } = await customerIn(browser(), url);
    await page.goto(url);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('chargeback');
    const found = page.getByRole('option').filter({ hasText: 'chargeback' }).first();
    await found.click();
    await page.waitForURL(/chargeback/);
    expect(faults).toEqual([]);
    await close();
  });
});
