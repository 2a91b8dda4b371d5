/**
 * The service sends the committed description to everybody, and it describes the existing routes.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { TillgateAdapter } from '../../src/request/adapter.js';
import { useService } from '../kit/setup.js';
import { ask } from '../support/ask.js';
import { get } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';

/** Programs read the whole document, so it must stay small. Each example stands in it once. */
const MAX_BYTES = 350_000;

const service = useService();

test('GET /openapi.json needs no key, may be cached, and is the committed document without indentation', async () => {
  const { status, headers, text } = await get(`${service.url}/openapi.json`, {});
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'public, max-age=300',
  ]);
  expect(text).toBe(JSON.stringify(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
});

test('GET /llms.txt needs no key, and each of its links leads to what the service has', async () => {
  const { status, headers, text } = await get(`${service.url}/llms.txt`, {});
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link as string);
  expect(links.length).toBeGreaterThan(40);
  for (const link of links)
    expect([link, (await get(new URL(link, service.url).href, {})).status]).toEqual([link, 200]);
});

test('GET /docs/… answers with a document, whose links lead to others', async () => {
  const { status, headers, text } = await get(`${service.url}/docs/guides/webhooks.md`, {});
  expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(text).toBe(readFileSync('docs/guides/webhooks.md', 'utf8'));
  const readme = await get(`${service.url}/docs/README.md`, {});
  expect(readme.text).toContain('(start/glossary.md)');
  const source = await get(`${service.url}/docs/examples/ledger/ledger.ts.txt`, {});
  expect([source.status, source.headers.get('content-type')]).toEqual([
    200,
    'text/plain; charset=utf-8',
  ]);
  expect(source.text).toBe(readFileSync('examples/ledger/ledger.ts', 'utf8'));
});

test.each(['guides/none.md', 'guides', '..%2findex.html', 'guides/webhooks.md.gz', '%00'])(
  'GET /docs/%s is not found',
  async (path) => {
    expect((await ask(`${service.url}/docs/${path}`)).status).toBe(404);
  },
);

test('GET /llms-full.txt has each page once, in the order of /llms.txt', async () => {
  const { status, text } = await get(`${service.url}/llms-full.txt`, {});
  const map = (await get(`${service.url}/llms.txt`, {})).text;
  const listed = [...map.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, path]) => path);
  const marked = [...text.matchAll(/^<!-- (docs\/\S+) -->$/gm)].map(([, path]) => path);
  expect([status, marked]).toEqual([200, listed]);
});

test('every described operation is a route of the service', () => {
  const adapter = service.application.getHttpAdapter() as TillgateAdapter;
  const { paths } = DOCUMENT as { paths: Record<string, object> };
  const missing = Object.entries(paths).flatMap(([path, methods]) => {
    const routed = adapter.methodsOf(path.replace('{id}', 'anything'));
    return Object.keys(methods).filter((method) => !routed.includes(method.toUpperCase()));
  });
  expect(missing).toEqual([]);
});

test('a session shows every field of the request', () => {
  const { schemas } = (
    DOCUMENT as { components: { schemas: Record<string, { properties: object }> } }
  ).components;
  const fieldsOf = (name: string) => Object.keys(schemas[name]?.properties ?? {});
  expect(fieldsOf('CreateCheckoutSessionRequest').length).toBeGreaterThan(10);
  expect(fieldsOf('CheckoutSession')).toEqual(
    expect.arrayContaining(fieldsOf('CreateCheckoutSessionRequest')),
  );
});

test('every error code is shown in an example', () => {
  const { code } = DOCUMENT.components.schemas.Error.properties.error.properties;
  const shown = [...JSON.stringify(DOCUMENT).matchAll(/"next_step":\{[^}]*\},"code":"(\w+)"/g)].map(
    ([, code]) => code,
  );
  // This error is the answer of Fastify's router, so no operation can show it.
  expect([...new Set([...shown, 'method_not_allowed'])].sort()).toEqual([...code.enum].sort());
});
